import type { JsonObject } from '../json/index.ts'
import type { Transcript } from './transcript/index.ts'
import type { Connection } from './transport/http/connection-state.ts'
import type { Answers, OutgoingPrompt } from './transport/http/outbox.ts'
import type { RetryOptions } from './transport/http/retry-delay.ts'

/** One frame as it came over the wire, for those who look inside. */
export interface Frame {
  /** The position in the session's log; undefined for `[DONE]`. */
  readonly id: number | undefined
  /** The line as sent: an envelope in JSON, or `[DONE]`. */
  readonly data: string
}

/** The part of `fetch` that a session needs. */
export type FetchFunction = (url: string, init: RequestInit) => Promise<Response>

/** Header fields by name. */
export type HeaderFields = Readonly<Record<string, string>>

/** How to reach a server and how patient to be with it. */
export interface SessionOptions extends RetryOptions {
  /** Where the server is mounted, without the `/agent` part; empty for the page's own origin. */
  readonly url: string
  /** The id of a conversation to go on with; a new one is made up otherwise. */
  readonly session?: string
  readonly fetch?: FetchFunction
  /** Sent with every request; a function is asked each time, so that a token may change. */
  readonly headers?: HeaderFields | (() => HeaderFields | Promise<HeaderFields>)
  /** Further fields of `POST /agent/run`, such as `agent_type` or `tool_input`. */
  readonly runFields?: JsonObject
  readonly onFrame?: (frame: Frame) => void
  /** Silence for this long counts as a lost connection, as does a request without an answer; servers send a heartbeat every 15 s. */
  readonly idleTimeoutMs?: number
  readonly now?: () => number
}

/** All that a session knows, as a value that is replaced when it changes. */
export interface SessionSnapshot {
  readonly transcript: Transcript
  readonly connection: Connection
  /** A prompt that the transcript does not show yet. */
  readonly prompt: OutgoingPrompt | undefined
  /** Answers given since the run last paused, by tool use id. */
  readonly answers: Answers
}

/**
 * One conversation with an agent. Promises settle when the run has ended or paused, and are rejected when the
 * server refuses; losses of the connection are healed meanwhile. A promise may be left alone: the snapshot
 * tells the same.
 */
export interface Session {
  readonly id: string
  /** How it reaches its server, for what is asked beside the stream. */
  readonly options: SessionOptions
  /**
   * Calls back after each change, at most once for a piece of the network; returns how to stop it. What a listener
   * throws is told as an unhandled rejection: the others are called all the same, and the run goes on.
   */
  readonly subscribe: (listener: () => void) => () => void
  /** The same object until something changes. */
  readonly getSnapshot: () => SessionSnapshot
  /** Asks the agent. The prompt has a key, by which it runs once though it is sent again when its response is lost. */
  readonly run: (prompt: string) => Promise<void>
  /**
   * Answers one call that waits for the browser; sent at once, never with made-up answers to others. The first
   * answer counts. If the server refuses it, all that it still waits for may be answered again.
   */
  readonly answer: (
    toolUseId: string,
    content: string,
    options?: { readonly isError?: boolean },
  ) => Promise<void>
  /**
   * Reads what is new, from the beginning if nothing was read, and follows a run that is under way. Cuts a wait for
   * the next try short: a page may call it when the network is back.
   */
  readonly watch: () => Promise<void>
  /** Shows these answers in place of those so far and sends nothing: for what is answered beside the stream, as by `answerCall`. */
  readonly note: (answers: Answers) => void
  /** Lets go of the connection; the run itself goes on. */
  readonly close: () => void
}
