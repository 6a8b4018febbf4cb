import type { MillraceError } from '../../../errors/index.ts'

/** State of a session's connection. */
export type ConnectionState =
  /** No request is needed: none was made, or the run has ended or paused. */
  | 'idle'
  /** A request was sent. */
  | 'connecting'
  /** The server responds with a stream. */
  | 'streaming'
  /** The connection failed. A retry is scheduled. */
  | 'waiting'
  /** The connection failed because the device is offline. It is retried when the device is online, and from time to time before. */
  | 'offline'
  /** The server refused a request or sent invalid data. A retry would not help. */
  | 'failed'
  /** The session has another log than the one that was read, or none. The next call starts with an empty transcript. */
  | 'replaced'
  /** The caller has closed the session. */
  | 'closed'

/** The connection of a session, as a value for display. */
export interface Connection {
  readonly state: ConnectionState
  /** Number of consecutive connection failures without a new frame. */
  readonly attempt: number
  /** Reason for a waiting, offline or failed connection. */
  readonly error?: MillraceError
  /** Time of the next retry, in milliseconds since the epoch. */
  readonly retryAt?: number
}
