import { isMillraceError } from '../../../errors/index.ts'
import type { Connection } from './connection.ts'
import { replyCode } from './store-errors.ts'
import { type Reply, toReply } from '../reply.ts'
import type { Script } from '../scripts/common.ts'
import { type Argument, type CommandStart, encodeStart } from './wire-command.ts'

/** A script with its keys and first arguments, encoded once for repeated runs. */
export interface PreparedScript {
  readonly script: Script
  readonly start: CommandStart
}

/** Encodes a script with its keys and first arguments. */
export function prepareScript(
  script: Script,
  keys: readonly string[],
  args: readonly Argument[] = [],
): PreparedScript {
  return { script, start: encodeStart('evalsha', [script.sha, keys.length, ...keys, ...args]) }
}

/** Runs a script with its last arguments: by its digest, or by its text if Redis does not know it, as after a restart. */
export async function runPrepared(
  { sendRest }: Pick<Connection, 'sendRest'>,
  { script, start }: PreparedScript,
  args: readonly Argument[],
): Promise<Reply> {
  try {
    return toReply(await sendRest(start, args))
  } catch (error) {
    if (!isMillraceError(error) || replyCode(error.cause) !== 'NOSCRIPT') throw error
    return toReply(await sendRest(encodeStart('eval', [script.lua, ...start.args.slice(1)]), args))
  }
}

/** Runs a script, and returns its reply. */
export type RunScript = (
  script: Script,
  keys: readonly string[],
  args: readonly Argument[],
) => Promise<Reply>

/** Creates the function that runs scripts on a connection. */
export function createRunScript(connection: Pick<Connection, 'sendRest'>): RunScript {
  return (script, keys, args) => runPrepared(connection, prepareScript(script, keys), args)
}
