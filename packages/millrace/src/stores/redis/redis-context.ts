import type { Ancestors } from './branches/ancestors.ts'
import type { Connection } from './connection/connection.ts'
import type { RedisIdentity } from './connection/identity.ts'
import type { Keys } from './keys.ts'
import type { RunScript } from './connection/run-script.ts'
import type { WaitLists } from './wake/wait-lists.ts'
import type { DataLossDetector } from './connection/data-loss-detector.ts'

/** A change of a session that affects the sets of all sessions. */
interface NotedChange {
  /** `open` lists a session that is not listed yet, `write` moves it to the first place. */
  readonly change?: 'open' | 'write' | 'remove' | undefined
  /** Owner of the session, for a write or a removal. Before the creation of the session, its intended owner. */
  readonly owner?: string | null | undefined
  /** A recorded owner that the session does not have. */
  readonly notOwner?: string | null | undefined
  /** Duration of a lease in milliseconds. */
  readonly lease?: number | undefined
  /** Whether it may have pending commands and no lease from now on. Recorded in advance, because it would otherwise not be found. */
  readonly isWaiting?: boolean
}

/** Context that the parts of a store share. */
export interface RedisContext {
  readonly connection: Connection
  readonly run: RunScript
  readonly keys: Keys
  readonly identity: RedisIdentity
  readonly lossDetector: DataLossDetector
  readonly waitLists: WaitLists
  readonly ancestors: Ancestors
  /** Keys of the sets of all sessions, if a session's script may use them; empty on a cluster. */
  readonly shared: readonly string[]
  /** Records a change in the sets of all sessions; undefined if the session's own script records it. */
  note(session: string, change: NotedChange): Promise<unknown> | undefined
}
