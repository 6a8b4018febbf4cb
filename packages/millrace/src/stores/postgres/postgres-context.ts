import type { Connection } from './connection/connection.ts'
import type { Waits } from '../remote/index.ts'
import type { Hints } from './wake/hints.ts'
import type { Names } from './names.ts'
import type { Tokens } from './log/tokens.ts'

/** Context that the parts of a store share. */
export interface PostgresContext {
  /** Sends a statement once the tables exist. */
  readonly send: Connection['send']
  readonly names: Names
  readonly tokens: Tokens
  readonly waits: Waits
  readonly hints: Hints
}
