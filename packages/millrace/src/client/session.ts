import type { JsonObject } from '../json/index.ts'
import type { Transcript } from './transcript/index.ts'
import type { RetryOptions } from './transport/http/ask.ts'
import type { MillraceError } from '../errors/index.ts'

/** A received frame, for inspection. */
export interface Frame {
  /** Position in the session's log; undefined for `[DONE]`. */
  readonly id: number | undefined
  /** The line as sent: a frame as JSON, or `[DONE]`. */
  readonly data: string
}

/** The signature of `fetch` that a session needs. */
export type FetchFunction = (url: string, init: RequestInit) => Promise<Response>

/** Header fields by name. */
export type HeaderFields = Readonly<Record<string, string>>

/** Options of a session: its server and its retries. */
export interface SessionOptions extends RetryOptions {
  /** URL where the server is mounted, without the `/agent` part; empty for the page's own origin. */
  readonly url: string
  /** Id of a session to continue; by default, a new one. */
  readonly session?: string
  readonly fetch?: FetchFunction
  /** Headers of every request. A function is called for each request, so that a token may change. */
  readonly headers?: HeaderFields | (() => HeaderFields | Promise<HeaderFields>)
  /** Additional fields of `POST /agent/run`, such as `agent_type` or `tool_input`. */
  readonly runFields?: JsonObject
  readonly onFrame?: (frame: Frame) => void
  /** Time without data after which a connection or request counts as failed. Servers send a heartbeat every 15 s. */
  readonly idleTimeoutMs?: number
  readonly now?: () => number
}

/** The state of a session, as an immutable value. */
export interface SessionSnapshot {
  readonly transcript: Transcript
  readonly connection: Connection
  /** A prompt that is not in the transcript yet. */
  readonly prompt: OutgoingPrompt | undefined
  /** Answers given since the last pause of the run, by tool use id. */
  readonly answers: Answers
}

/**
 * A conversation with an agent. Promises settle when the run has ended or paused, and reject when the server refuses a request; connection
 * failures are retried meanwhile. Promises may be ignored, because the snapshot has the same information.
 */
export interface Session {
  readonly id: string
  /** Server and options, for requests outside the stream. */
  readonly options: SessionOptions
  /**
   * Calls a listener after each change, at most once for each network chunk; returns a function that removes it. An error of a listener
   * becomes an unhandled rejection and does not affect other listeners or the run.
   */
  readonly subscribe: (listener: () => void) => () => void
  /** Returns the same object until something changes. */
  readonly getSnapshot: () => SessionSnapshot
  /** Sends a prompt to the agent. A key ensures that the prompt runs once even if it is sent again after a lost response. */
  readonly run: (prompt: string) => Promise<void>
  /**
   * Answers a call that is pending for the browser. The answer is sent at once and alone. The first answer counts. If the server refuses
   * it, all pending calls can be answered again.
   */
  readonly answer: (
    callId: string,
    content: string,
    options?: { readonly isError?: boolean },
  ) => Promise<void>
  /**
   * Reads new frames, from the start if none were read, and follows an active run. Ends a wait for the next retry, so a page may call it
   * when the network is back.
   */
  readonly watch: () => Promise<void>
  /** Replaces the shown answers without sending them, for answers outside the stream, as by `answerCall`. */
  readonly note: (answers: Answers) => void
  /** Closes the connection. The run continues. */
  readonly close: () => void
}

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

/** A prompt that is being sent. The stream shows it once the server has accepted it. */
export interface OutgoingPrompt {
  readonly text: string
  /** Key by which the server recognizes a repeated prompt. */
  readonly messageId?: string
  /** `unsent`: it did not arrive, and is kept so that the user can send it again. */
  readonly state: 'sending' | 'unsent'
}

/** An answer to a tool that is pending for the browser. */
export interface Answer {
  readonly content: string
  readonly isError: boolean
}

/** Answers by tool use id. */
export type Answers = Readonly<Record<string, Answer>>
