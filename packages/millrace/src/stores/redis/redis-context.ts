import type { Ancestors } from './branches/ancestors.ts'
import type { Connection } from './connection/connection.ts'
import type { Identity } from './connection/identity.ts'
import type { Keys } from './keys.ts'
import type { RunScript } from './connection/run-script.ts'
import type { Taps } from './wake/taps.ts'
import type { Witness } from './connection/witness.ts'

/** A change of a session that the sets of all sessions show. */
export interface NotedChange {
  readonly change?: 'write' | 'remove'
  /** The owner of the session, with a write or a removal. Before the session is created, the owner that it is to have. */
  readonly owner?: string | null | undefined
  /** An owner that was noted before and is not that of the session. */
  readonly notOwner?: string | null | undefined
  /** The milliseconds of a lease, or that it was given up. */
  readonly lease?: 'release' | number | undefined
  /** Whether it may have pending commands and no lease from now on. Noted before it is so, as it would not be found otherwise. */
  readonly isWaiting?: boolean
}

/** What the parts of a store share. */
export interface RedisContext {
  readonly connection: Connection
  readonly run: RunScript
  readonly keys: Keys
  readonly identity: Identity
  readonly witness: Witness
  readonly taps: Taps
  readonly ancestors: Ancestors
  /** The keys of what is kept of all sessions if the script of one may touch them; on a cluster none. */
  readonly shared: readonly string[]
  /** Notes a change in the sets of all sessions, where the session's script could not; gives nothing if it could. */
  note(session: string, change: NotedChange): Promise<unknown> | undefined
}
