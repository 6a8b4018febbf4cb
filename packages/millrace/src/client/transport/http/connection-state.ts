import type { MillraceError } from '../../../errors/index.ts'

/** Where the connection of a session stands. */
export type ConnectionState =
  /** Nothing is asked for: no one has asked yet, or the run has ended or paused. */
  | 'idle'
  /** A request is on its way. */
  | 'connecting'
  /** The server answers with a stream. */
  | 'streaming'
  /** The connection was lost; another try is scheduled. */
  | 'waiting'
  /** The connection was lost because the device has none; tried again when it is back, now and then until then. */
  | 'offline'
  /** The server said no, or what it sent makes no sense: trying again would not help. */
  | 'failed'
  /** The session has another log than the one that was read, or none: the next call starts anew with an empty transcript. */
  | 'replaced'
  /** The caller is done with the session. */
  | 'closed'

/** The connection of a session, as a value for the person who watches it. */
export interface Connection {
  readonly state: ConnectionState
  /** How many times in a row the connection was lost without a new message in between. */
  readonly attempt: number
  /** Why the connection waits, is offline or failed. */
  readonly error?: MillraceError
  /** When the next try is due, in milliseconds since the epoch. */
  readonly retryAt?: number
}
