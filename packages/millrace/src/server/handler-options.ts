import type { Agent } from '../agent/index.ts'
import type { Violation } from '../envelope/index.ts'
import type { Prompt } from '../events/index.ts'
import type { OutboundOptions } from '../outbound/index.ts'
import type { Protocol } from '../protocols/port/index.ts'
import type { Store } from '../stores/port/index.ts'
import type { FileSource } from './files/keep-files.ts'
import type { Keep } from './retention/keep.ts'
import type { ServerObserver } from './server-observer.ts'
import type { ChooseView } from './views/view.ts'
import type { RunEvent } from '../webhooks/index.ts'
import type { WebhookOptions } from './webhooks/webhook-options.ts'

/**
 * What a request wants to do; `health` asks for more than the status, which anyone may know, or for the frames by which
 * `millrace doctor` measures the way.
 */
export type Action =
  | 'run'
  | 'answer'
  | 'stop'
  | 'steer'
  | 'fork'
  | 'rename'
  | 'delete'
  | 'read'
  | 'list'
  | 'upload'
  | 'health'

/**
 * Decides on a request before anything is done or told: true lets it pass, false hides what it asked for, a
 * response is sent in its place. `session` is undefined for lists, and for a run or an upload that starts a new session.
 */
export type Authorize = (
  request: Request,
  action: Action,
  session: string | undefined,
) => boolean | Response | Promise<boolean | Response>

/** What an error is about, as far as that is known. */
export interface ErrorPlace {
  readonly session?: string
}

/** Takes what went wrong and is not shown to clients. */
export type ReportError = (error: unknown, place?: ErrorPlace) => void

/** The bounds of a handler. */
export interface HandlerLimits {
  readonly maxBodyBytes?: number
  /** A body of which nothing comes for this long is not waited for. */
  readonly bodyIdleTimeoutMs?: number
  /** A body that takes longer as a whole is not waited for, which frees its place among `maxUploads`. */
  readonly bodyTimeoutMs?: number
  readonly maxJsonDepth?: number
  /** Results in one request. */
  readonly maxResults?: number
  readonly maxActiveRuns?: number
  /** Runs under way that one principal has started or let go on. */
  readonly maxRunsPerPrincipal?: number
  /** Open streams. */
  readonly maxReaders?: number
  readonly maxReadersPerPrincipal?: number
  /** The body of a request with files. */
  readonly maxUploadBytes?: number
  /** Requests with files that are read at once. */
  readonly maxUploads?: number
  /** Those of one principal among them, or of one remote address where there is no principal. */
  readonly maxUploadsPerPrincipal?: number
  /** Files in one request. */
  readonly maxFiles?: number
  /** A session to which about so many bytes of frames, parts and files were written takes no more prompts and files. */
  readonly maxSessionBytes?: number
  /** An owner to whose sessions about so many bytes were written gets no more runs and files; unlimited unless given. */
  readonly maxOwnerBytes?: number
  readonly maxImageBytes?: number
  readonly maxPdfBytes?: number
  readonly maxTextBytes?: number
  /** A larger file that a provider has made stays there. */
  readonly maxFileBytes?: number
  /** A file of a provider that takes longer is not waited for. */
  readonly fileTimeoutMs?: number
  /** How long a client that has claimed a call may take before another one may; it may claim again. */
  readonly claimMs?: number
  /** A run waits while more than this is on its way to the store. */
  readonly maxQueuedBytes?: number
  /** Answered calls that a session remembers, to tell a repeated result from another one. */
  readonly maxAnswers?: number
  /** No message is larger once encoded; at least 512. */
  readonly maxLineBytes?: number
  /** A reader that leaves what is ready for this long is cut; what a socket's buffers hold counts as taken. */
  readonly stallTimeoutMs?: number
  /** How long after its last sign of life another server may carry on a server's runs. */
  readonly leaseMs?: number
  /** How long an agent may take to end by itself when it is aborted. */
  readonly abortGraceMs?: number
  /** A title that takes longer is not waited for. */
  readonly titleTimeoutMs?: number
  /** A store that takes longer to answer is not healthy. */
  readonly healthTimeoutMs?: number
  /** A receiver of webhooks that takes longer to answer has failed. */
  readonly webhookTimeoutMs?: number
  /** How long after a failed delivery it is tried again first; later retries come five times as late as the one before. */
  readonly webhookRetryMs?: number
}

/** What a handler is built from. */
export interface HandlerOptions {
  /** The agents that clients may choose from, by `agent_type`. */
  readonly agents: Readonly<Record<string, Agent>>
  /** The agent of those who do not choose. */
  readonly defaultAgent: string
  readonly store: Store
  /** The protocols that clients may speak: all that this package has, unless given; `json` is always among them. */
  readonly protocols?: readonly Protocol[]
  readonly authorize?: Authorize
  /** What every request must show as `authorization: Bearer TOKEN`, besides those to `/health` and `/openapi.json`. */
  readonly token?: string
  /** What whoever sent a request may not see of a session that they may read. */
  readonly view?: ChooseView
  /** On whose behalf a request comes: the owner of the sessions that it creates. The limits for a principal hold for requests that have one. */
  readonly principal?: (request: Request) => string | undefined | Promise<string | undefined>
  /** Where files that a provider makes are read, to be kept in the store, if their agent does not keep them itself. */
  readonly files?: FileSource
  /** Host names besides `localhost` and plain addresses; `*` allows any. */
  readonly allowedHosts?: readonly string[]
  /** Origins of other sites whose pages may use this server. */
  readonly allowedOrigins?: readonly string[]
  readonly heartbeatMs?: number
  /**
   * Names a session by its first question, while the answer is already on its way. Until the title comes, and where
   * none does, the beginning of the question is its title.
   */
  readonly title?: (prompt: Prompt) => Promise<string>
  readonly limits?: HandlerLimits
  /** How long sessions and their logs are kept; for ever unless given. */
  readonly keep?: Keep
  /** Which URLs and file ids of clients reach a model, and which values are masked in errors and logs. */
  readonly outbound?: OutboundOptions
  /**
   * How long a request for approval can be approved, and how long an approval can start its tool. After that the
   * call is refused as expired. Approvals do not expire if this is absent. [APR-4]
   */
  readonly approvalTtlMs?: number
  /** Whether an approval must carry `input_hash`, the hash of the arguments that were shown. [APR-2] */
  readonly requireInputHash?: boolean
  /** Sees what went wrong and is not shown to clients. */
  readonly onError?: ReportError
  /** Watch the server from outside: a log, counters. */
  readonly observers?: readonly ServerObserver[]
  /** Sees what breaks the protocol; every line is checked when this is given, which costs time. */
  readonly onViolation?: (violation: Violation) => void
  /** Who this server is among those that share its store; a new name for each process. */
  readonly node?: string
  /** What `GET /health` calls the version of this server. */
  readonly version?: string
  /** Tells whether the holder of a lease is known to be gone, so that its runs need not wait for it to lapse. */
  readonly isGone?: (owner: string) => boolean
  /** Told of each session whose run this server carries on for one that has died or closed. */
  readonly onRecovered?: (session: string) => void
  /**
   * When the server carries on runs whose server is gone. `true`: it looks for them in the background from its first request on, and
   * a request that meets one has it carried on; the default where the store outlives the process. `'on_request'`: only such
   * requests. `false`: readers leave lost runs alone, until `recover()` is called.
   */
  readonly recovers?: boolean | 'on_request'
  /** Told of each run that has ended or paused here, once that is stored. A crash may lose a call; `webhooks` lose nothing. */
  readonly onEvent?: (event: RunEvent) => unknown
  /** Receivers to which the same events are sent over HTTP, signed, until they accept them. [HOOK-1] */
  readonly webhooks?: readonly WebhookOptions[]
  readonly now?: () => number
  readonly createId?: () => string
}

/** The bounds where none are given. */
export const defaultLimits: Required<HandlerLimits> = {
  maxBodyBytes: 1_048_576,
  bodyIdleTimeoutMs: 15_000,
  bodyTimeoutMs: 240_000,
  maxJsonDepth: 64,
  maxResults: 100,
  maxActiveRuns: 1_000,
  maxRunsPerPrincipal: 20,
  maxReaders: 10_000,
  maxReadersPerPrincipal: 100,
  maxUploadBytes: 67_108_864,
  maxUploads: 8,
  maxUploadsPerPrincipal: 4,
  maxFiles: 20,
  maxSessionBytes: 1_073_741_824,
  maxOwnerBytes: Infinity,
  maxImageBytes: 20_971_520,
  maxPdfBytes: 33_554_432,
  maxTextBytes: 5_242_880,
  maxFileBytes: 33_554_432,
  fileTimeoutMs: 60_000,
  claimMs: 30_000,
  maxQueuedBytes: 262_144,
  maxAnswers: 1_000,
  maxLineBytes: 2_048,
  stallTimeoutMs: 30_000,
  leaseMs: 15_000,
  abortGraceMs: 2_000,
  titleTimeoutMs: 30_000,
  healthTimeoutMs: 2_000,
  webhookTimeoutMs: 15_000,
  webhookRetryMs: 5_000,
}
