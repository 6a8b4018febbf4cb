import { createHash } from 'node:crypto'

/** A Lua script and the digest under which Redis keeps it. */
export interface Script {
  readonly lua: string
  readonly sha: string
}

/** Builds a script from its text. */
export function defineScript(lua: string): Script {
  return { lua, sha: createHash('sha1').update(lua).digest('hex') }
}
