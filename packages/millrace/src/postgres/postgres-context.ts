import type { Connection } from './connection.ts'
import type { Ends } from './ends.ts'
import type { Hints } from './hints.ts'
import type { Names } from './names.ts'
import type { Tokens } from './tokens.ts'

/** What the parts of a store share. */
export interface PostgresContext {
  /** Sends a statement once the tables are there. */
  readonly send: Connection['send']
  readonly names: Names
  readonly tokens: Tokens
  readonly ends: Ends
  readonly hints: Hints
}
