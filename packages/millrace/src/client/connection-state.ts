import type { MillraceError } from '../errors/index.ts'

/** Where the connection of a session stands. */
export type ConnectionState =
  | 'idle'
  | 'connecting'
  | 'streaming'
  | 'waiting'
  | 'offline'
  | 'failed'
  | 'closed'

/** What can happen to a connection. */
export type ConnectionEvent =
  /** A request is sent. */
  | 'open'
  /** The server began to answer with a stream. */
  | 'accept'
  /** `[DONE]` came: the run ended or paused. */
  | 'end'
  /** The connection was lost; another try is scheduled. */
  | 'cut'
  /** The connection was lost and the machine says that it has no network; tried again all the same. */
  | 'drop'
  /** The server said no, or what it sent makes no sense: trying again would not help. */
  | 'refuse'
  /** The caller is done with the session. */
  | 'close'

/**
 * The whole machine: a row is a state, an entry says where an event leads. What is not in a row does not
 * happen there, and changes nothing.
 */
const transitions: Readonly<
  Record<ConnectionState, Readonly<Partial<Record<ConnectionEvent, ConnectionState>>>>
> = {
  idle: { open: 'connecting', close: 'closed' },
  connecting: {
    accept: 'streaming',
    cut: 'waiting',
    drop: 'offline',
    refuse: 'failed',
    close: 'closed',
  },
  streaming: { end: 'idle', cut: 'waiting', drop: 'offline', refuse: 'failed', close: 'closed' },
  waiting: { open: 'connecting', close: 'closed' },
  offline: { open: 'connecting', close: 'closed' },
  failed: { open: 'connecting', close: 'closed' },
  closed: {},
}

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

/** Why and until when a connection is down. */
export interface Trouble {
  readonly error: MillraceError
  readonly retryAt?: number
}

/** A connection that nobody has asked for yet. */
export const noConnection: Connection = { state: 'idle', attempt: 0 }

/** The connection after an event; the same one when the event means nothing in its state. */
export function nextConnection(
  connection: Connection,
  event: ConnectionEvent,
  trouble?: Trouble,
): Connection {
  const state = transitions[connection.state][event]
  if (state === undefined) return connection
  const lost = state === 'waiting' || state === 'offline'
  const attempt = state === 'idle' ? 0 : connection.attempt + (lost ? 1 : 0)
  return { state, attempt, ...trouble }
}

/** The connection once a new message has come through it: earlier losses no longer count. */
export function provenConnection(connection: Connection): Connection {
  return connection.attempt === 0 ? connection : { state: connection.state, attempt: 0 }
}
