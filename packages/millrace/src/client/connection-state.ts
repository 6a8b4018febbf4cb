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
  /** A message came that was not there before: earlier losses no longer count. */
  | 'prove'
  /** `[DONE]` came: the run ended or paused. */
  | 'end'
  /** The connection was lost; another try is scheduled. */
  | 'cut'
  /** The same, and the machine says that it has no network. */
  | 'drop'
  /** The server said no, or what it sent makes no sense: trying again would not help. */
  | 'refuse'
  /** The caller is done with the session. */
  | 'close'

type Row = Readonly<Partial<Record<ConnectionEvent, ConnectionState>>>

const down: Row = { open: 'connecting', close: 'closed' }
const up: Row = { cut: 'waiting', drop: 'offline', refuse: 'failed', close: 'closed' }

/**
 * The whole machine: a row is a state, an entry says where an event leads. What is not in a row does not
 * happen there, and changes nothing.
 */
const transitions: Readonly<Record<ConnectionState, Row>> = {
  idle: down,
  connecting: { ...up, accept: 'streaming' },
  streaming: { ...up, prove: 'streaming', end: 'idle' },
  waiting: down,
  offline: down,
  failed: down,
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
export type Trouble = Pick<Connection, 'error' | 'retryAt'>

/** A connection that nobody has asked for yet. */
export const noConnection: Connection = { state: 'idle', attempt: 0 }

/** The connection after an event; the same one when the event means nothing in its state. */
export function nextConnection(
  connection: Connection,
  event: ConnectionEvent,
  trouble?: Trouble,
): Connection {
  const state = transitions[connection.state][event]
  if (!state) return connection
  const isSound = event === 'prove' || event === 'end'
  const isLost = event === 'cut' || event === 'drop'
  return { state, attempt: isSound ? 0 : connection.attempt + Number(isLost), ...trouble }
}
