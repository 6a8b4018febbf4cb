import type { Prompt, StreamEvent } from '../../events/index.ts'
import type { JsonObject } from '../../json/index.ts'
import type { RunHandle } from './run-handle.ts'
import type { SessionList, SessionState } from './session-values.ts'

/**
 * The commands of a server for code in its process. They have the effects and the errors of the HTTP routes; a promise resolves when the
 * command is stored.
 */
export interface Sessions {
  /** Starts a run in a new session, or in that of `session`. The same key finds the same session and run. */
  start(prompt: Prompt, options?: StartOptions): Promise<RunHandle>
  /** Sends a prompt to an existing session. */
  send(session: string, prompt: Prompt, options?: SendOptions): Promise<RunHandle>
  /** Answers a call of a browser tool; the handle reads the resumed run. */
  answer(
    session: string,
    callId: string,
    output: Prompt,
    options?: CallAnswerOptions,
  ): Promise<RunHandle>
  /** Approves a call, with its arguments or with edited ones; the handle reads the resumed run. */
  approve(session: string, callId: string, options?: ApproveOptions): Promise<RunHandle>
  /** Denies a call; the handle reads the resumed run. */
  deny(session: string, callId: string, options?: DenyOptions): Promise<RunHandle>
  /** Stops the run of a session, or one of its agents; false if there was none to stop. */
  stop(session: string, options?: ControlOptions): Promise<boolean>
  /** Sends a message to the active run, or to one of its agents; throws `conflict` if none can receive it. */
  steer(session: string, prompt: Prompt, options?: ControlOptions): Promise<void>
  /** Withdraws the queued prompt with a key; throws `conflict` if it has started. */
  withdraw(session: string, key: string): Promise<void>
  /** Creates a branch, at its newest possible frame or after the frame `after`; resolves with its id. */
  fork(session: string, options?: ForkOptions): Promise<string>
  /** Renames a session. */
  rename(session: string, title: string, options?: CommandOptions): Promise<void>
  /** Creates the share link of a session, and revokes an earlier one. */
  share(session: string, options?: ShareOptions): Promise<SessionShare>
  /** Revokes the share link of a session; false if there was none. */
  unshare(session: string): Promise<boolean>
  /** Deletes a session with all its data; an active run stops first. */
  delete(session: string): Promise<void>
  /** Lists sessions, most recently written first. */
  list(options?: ListOptions): Promise<SessionList>
  /** Reads the state of a session, with its pending calls and its queue. */
  read(session: string): Promise<SessionState>
  /** Reads the events of a session, up to the end or the pause of its run, or across all runs with `follow`. */
  events(session: string, options?: EventsOptions): AsyncIterable<StreamEvent>
}

/** Options of a command. */
export interface CommandOptions {
  /** Identifies a repeated command, which takes effect once; 1 to 200 visible ASCII characters. [CMD-2] */
  readonly key?: string
}

/** Options of a command whose handle reads a run. */
export interface RunCommandOptions extends CommandOptions {
  /** Ends the streams of the handle; the run continues. */
  readonly signal?: AbortSignal
}

/** Options of a prompt to a session. */
export interface SendOptions extends RunCommandOptions {
  /** The effect during a run; `reject` throws `conflict`, and is the default. [CMD-4] */
  readonly whenBusy?: 'reject' | 'queue' | 'steer' | 'interrupt'
  /** Whether readers get tool input as a whole, or while the model writes it. */
  readonly toolInput?: 'buffered' | 'live'
}

/** Options of a prompt to a new session. */
export interface StartOptions extends SendOptions {
  /** The id of the session, a UUID; by default it follows from the key, or is new. */
  readonly session?: string
  /** The agent, by its name in the option `agents`. */
  readonly agent?: string
}

/** Options of a result for a call. */
export interface CallAnswerOptions extends RunCommandOptions {
  readonly isError?: boolean
  /** The agent of the call; a call of another agent is refused. */
  readonly agent?: string
}

/** Options of an approval. */
export interface ApproveOptions extends RunCommandOptions {
  /** Arguments to run with in place of the model's. */
  readonly input?: JsonObject
  /** The hash of the arguments that were shown; an approval of other arguments is refused. [APR-2] */
  readonly inputHash?: string
  /** The agent of the call; a call of another agent is refused. */
  readonly agent?: string
}

/** Options of a denial. */
export interface DenyOptions extends RunCommandOptions {
  /** The reason, for the model. */
  readonly reason?: string
  /** The agent of the call; a call of another agent is refused. */
  readonly agent?: string
}

/** Options of a stop, or of a message to a run. */
export interface ControlOptions extends CommandOptions {
  /** The sub-agent; by default the whole run, or the root agent. */
  readonly agent?: string
}

/** Options of a fork. */
export interface ForkOptions extends CommandOptions {
  /** The last frame that the branch shares. */
  readonly after?: number
  readonly title?: string
}

/** Options of a share link. */
export interface ShareOptions {
  /** Its validity in seconds; 30 days by default. */
  readonly expiresIn?: number
}

/** A share link of a session: a token for reading it. */
export interface SessionShare {
  readonly token: string
  /** The expiry time in ISO 8601. */
  readonly expiresAt: string
}

/** Options of a list. */
export interface ListOptions {
  /** The number of rows, at most 100; 50 by default. */
  readonly limit?: number
  readonly offset?: number
}

/** Options of a stream of events. */
export interface EventsOptions {
  /** The last frame that was read; 0 by default, the start. */
  readonly after?: number
  /** Whether the stream stays across pauses and runs. */
  readonly follow?: boolean
  /** Ends the stream, with its reason as the error. */
  readonly signal?: AbortSignal
}
