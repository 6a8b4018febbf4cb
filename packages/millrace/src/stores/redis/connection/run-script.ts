import { isMillraceError } from '../../../errors/index.ts'
import type { Argument, Connection } from './connection.ts'
import { replyCode } from './redis-failure.ts'
import { type Reply, toReply } from '../reply.ts'
import type { Script } from '../scripts/index.ts'

/** Runs a script on keys with arguments. */
export type RunScript = (
  script: Script,
  keys: readonly string[],
  args: readonly Argument[],
) => Promise<Reply>

/** Builds what runs scripts: by their digest, and by their text where Redis does not know them, as after a restart. */
export function createRunScript({ send }: Connection): RunScript {
  return async ({ lua, sha }, keys, args) => {
    try {
      return toReply(await send('evalsha', [sha, keys.length, ...keys, ...args]))
    } catch (error) {
      if (!isMillraceError(error) || replyCode(error.cause) !== 'NOSCRIPT') throw error
      return toReply(await send('eval', [lua, keys.length, ...keys, ...args]))
    }
  }
}
