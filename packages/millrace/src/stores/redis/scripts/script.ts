import { createHash } from 'node:crypto'

/** A Lua script with its digest in Redis. */
export interface Script {
  readonly lua: string
  readonly sha: string
}

/** Creates a script from its text. */
export function defineScript(lua: string): Script {
  return { lua, sha: createHash('sha1').update(lua).digest('hex') }
}
