import type { MillraceError } from '../../errors/index.ts'
import type { JsonObject, JsonValue } from '../../json/index.ts'
import type { PausedCall, PlainMessage } from '../../events/index.ts'
import type { LogFormat } from './log-format.ts'

/**
 * The plan of a request. Answers to pending calls are accepted first; a message that comes with them goes to the run that continues. If no
 * call is pending for the answers, the message starts a run. Without a message, the reply shows the session unchanged.
 *
 * The server executes a plan: it checks access before each action, counts quotas, recognizes repeated requests, applies the reader's view
 * and keeps the stream alive.
 */
export interface Plan {
  /**
   * The id of the session as clients of the protocol know it. A UUID is that of the session; the server derives the session of any other
   * id from the protocol, the owner and the id.
   */
  readonly session: string
  readonly answers?: readonly CallAnswer[]
  readonly message?: UserMessage
  readonly reply: StreamReply | JsonReply
}

/** Text, or a file as a data URL or with the URL of an upload. */
export type MessagePart =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'file'
      readonly url: string
      readonly mediaType?: string
      readonly filename?: string
    }

/** A message of the user. */
export interface UserMessage {
  readonly parts: readonly MessagePart[]
  /** The id of the message. Frames name it where it is 1 to 200 visible ASCII characters. */
  readonly id?: string
  /**
   * The id of the request, chosen by the client. A repeated id reads the run that the first request has started; without `id`, other
   * content is refused.
   */
  readonly requestId?: string
  /**
   * Selects the messages that this one can repeat, by id and content: `any` of the session (the default), the `newest`, or `none`. An
   * edited message uses `newest`, because its text may equal an older message. A repeated message reads its run, unless that run has
   * failed.
   */
  readonly repeatOf?: 'any' | 'newest' | 'none'
  /** The agent of a session that the message creates. */
  readonly agentType?: string
  readonly toolInput: 'buffered' | 'live'
}

/** The result of a call that the client has executed. */
export interface CallResult {
  readonly content: string | readonly MessagePart[]
  readonly isError: boolean
}

/** The decision on a call that needs approval. */
export interface PlannedDecision {
  readonly isApproved: boolean
  readonly reason?: string
  /** Other arguments, for an approved call. */
  readonly input?: JsonObject
  /** The hash of the arguments that were shown. [APR-1] */
  readonly inputHash?: string
  /** The arguments that were shown, where the client sends them back instead of their hash. */
  readonly shownInput?: JsonValue
}

/**
 * The answer of a client to a call. The result is used if the call waits for one, the decision if it waits for approval; a call that is not
 * pending is unchanged. Both are read only if they are used or repeat an accepted answer, and throw `bad_request` if they are malformed.
 */
export interface CallAnswer {
  readonly callId: string
  readonly result?: () => CallResult
  readonly decision?: () => PlannedDecision
  /** Whether it is part of the client's copy of the conversation: it is then never compared with an accepted answer. */
  readonly isCopy?: boolean
}

/** A reply as a stream of the format. */
export interface StreamReply {
  readonly type: 'stream'
  /** The extent of a repeated read: the whole run, or its part up to a pause. */
  readonly extent: 'run' | 'part'
  /** Whether a run that has ended or paused is shown if none is active. */
  readonly showsEnded?: boolean
  /** Whether a request with `Last-Event-ID` continues a stream and changes nothing. */
  readonly isResumable?: boolean
  /** The reply if there is nothing to accept and nothing to show: 204, an empty stream, or an error. */
  readonly otherwise: 'no_content' | 'empty' | ((session: IdleSession) => MillraceError)
  /** Creates the format of the stream, before the run starts. */
  format(stream: StreamFacts): LogFormat | Promise<LogFormat>
}

/** A session without pending calls for the answers of a request. */
export interface IdleSession {
  /** Whether a run is active. */
  readonly isRunning: boolean
  /** A call that waits for approval and that the request names without a decision. */
  readonly undecided?: string
}

/** Calls that wait for results, and calls that wait for approval, as the reader may see them. */
export interface WaitingCalls {
  readonly results: readonly PausedCall[]
  readonly approvals: readonly PausedCall[]
}

/** A run of the conversation, as the reader may see it. */
export interface PastRun {
  readonly number: number
  /** The members of `GET /agent/{uuid}/conversations`. */
  readonly conversation: JsonObject
  /** Results that were emitted before a pause and are not yet among its messages. */
  readonly results: readonly JsonObject[]
  /** The size of the run in characters. */
  readonly size: number
}

/** Facts about a session and the stream that a reader gets of it. */
export interface StreamFacts {
  /** The id of the session. */
  readonly session: string
  /** The content of the stream: the run of the message, the frames after the answers, or the session unchanged. */
  readonly shows: 'message' | 'answers' | 'session'
  /** Whether the reader needs the content before the first event of the log; false if it continues after that. */
  readonly needsOpening: boolean
  /** The calls with known results, among those that the plan answers. */
  readonly answered: ReadonlySet<string>
  /** The runs before the one that the stream shows, the newest first. */
  history(): AsyncIterable<PastRun>
  /**
   * Compares a client's copy of these runs: true if it has the same prompts, answers and calls, however they are divided into messages. The
   * cost does not depend on the number of runs. False also where that cannot be known without `history()`: a view hides the messages, or
   * an older version has stored the runs.
   */
  isSameHistory(copy: readonly PlainMessage[]): Promise<boolean>
  /** The calls that wait if the stream has no events of its own; undefined otherwise. Known once the stream has started. */
  waiting(): WaitingCalls | undefined
  /** Whether the view of the reader hides a field of a type of event. */
  hides(type: string, field: string): Promise<boolean>
}

/** A JSON reply, made of the newest runs. */
export interface JsonReply {
  readonly type: 'json'
  /** Number of newest runs to read. */
  readonly runs: number
  /** The format in which they are read. */
  readonly format: LogFormat
  /** Creates the body. */
  toBody(read: RunsRead): string
}

/** The newest runs of a session, as frames of a format. */
export interface RunsRead {
  /** The data of the frames, in order; none for a session that does not exist. */
  readonly frames: readonly string[]
  /** Whether there are older runs. */
  readonly hasMore: boolean
  readonly isRunning: boolean
}
