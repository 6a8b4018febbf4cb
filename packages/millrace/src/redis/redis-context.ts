import type { Connection } from './connection.ts'
import type { Keys } from './keys.ts'
import type { RunScript } from './run-script.ts'
import type { Taps } from './taps.ts'
import type { Witness } from './witness.ts'

/** What the parts of a store share. */
export interface RedisContext {
  readonly connection: Connection
  readonly run: RunScript
  readonly keys: Keys
  readonly witness: Witness
  readonly taps: Taps
  /** The keys of all sessions and all leases if the script of a session may touch them; on a cluster none. */
  readonly shared: readonly string[]
  /** Notes a write, a removal or a change of a lease in the sets of all sessions, where the session's script could not. */
  note(session: string, change: '' | 'write' | 'remove', lease?: 'release' | number): Promise<void>
}
