import type { Agent } from '../agent/port/index.ts'
import type { Violation, Prompt } from '../events/index.ts'
import type { OutboundOptions } from '../outbound/index.ts'
import type { Protocol } from '../protocols/port/index.ts'
import type { Store } from '../stores/port/index.ts'
import type { FileSource } from './files/run-media.ts'
import type { Keep } from './retention/retention.ts'
import type { ServerObserver } from './server-observer.ts'
import type { ChooseView } from './views/view-rules.ts'
import type { RunEvent } from '../webhooks/index.ts'
import type { WebhookOptions } from './webhooks/webhook-options.ts'

/**
 * The action a request asks for. `health` covers the details of `GET /health`, whose status is public, and the frames with which
 * `millrace doctor` measures the connection.
 */
export type Action =
  | 'run'
  | 'answer'
  | 'stop'
  | 'steer'
  | 'produce'
  | 'fork'
  | 'rename'
  | 'share'
  | 'delete'
  | 'read'
  | 'list'
  | 'upload'
  | 'health'

/** The sender of a request and the owner of its session, for `authorize`. */
export interface Access<Context = unknown> {
  /** The context of the request; undefined for a read with a share link, for `health`, and without the option `context`. */
  readonly context: Context | undefined
  /** The owner of the session, or of the one that the request would create; null if it has none. */
  readonly owner: string | null
  /** Whether the request reads the session with a share link. */
  readonly isShared: boolean
}

/**
 * Decides on a request to a session of its owner before anything else happens: true allows it, false hides the session, a response is sent
 * instead. `session` is undefined for lists, and for a run or an upload that creates a session. Each row of a list is a `read`.
 */
export type Authorize<Context = unknown> = (
  request: Request,
  action: Action,
  session: string | undefined,
  access: Access<Context>,
) => boolean | Response | Promise<boolean | Response>

/** The context of an error, as far as it is known. */
export interface ErrorContext {
  readonly session?: string
}

/** Receives errors whose details clients do not get. */
export type ReportError = (error: unknown, place?: ErrorContext) => void

/** Creates the title of a session from its first prompt. */
export type ChooseTitle<Context = unknown> = (
  prompt: Prompt,
  run: { readonly context: Context },
) => Promise<string>

/** The limits of a handler. */
export interface HandlerLimits {
  readonly maxBodyBytes?: number
  /** Time without data after which a request body is abandoned. */
  readonly bodyIdleTimeoutMs?: number
  /** Maximum duration of a request body. Slow uploads would hold the quota `maxUploads`. */
  readonly bodyTimeoutMs?: number
  readonly maxJsonDepth?: number
  /** Results in one request. */
  readonly maxResults?: number
  readonly maxActiveRuns?: number
  /** Active runs that one user started or resumed. */
  readonly maxRunsPerUser?: number
  /** Open streams. */
  readonly maxReaders?: number
  readonly maxReadersPerUser?: number
  /** Bytes of a request with files. */
  readonly maxUploadBytes?: number
  /** Simultaneous requests with files. */
  readonly maxUploads?: number
  /** Simultaneous requests with files of one user, or of one remote address if the server does not know users. */
  readonly maxUploadsPerUser?: number
  /** Files in one request. */
  readonly maxFiles?: number
  /** Approximate bytes of frames, parts and files after which a session accepts no more prompts and files. */
  readonly maxSessionBytes?: number
  /** Approximate bytes of all sessions of an owner after which they accept no more prompts and files; unlimited by default. */
  readonly maxOwnerBytes?: number
  readonly maxImageBytes?: number
  readonly maxPdfBytes?: number
  readonly maxTextBytes?: number
  /** Larger files made by a provider are not stored. */
  readonly maxFileBytes?: number
  /** Time limit for downloading a file from a provider. */
  readonly fileTimeoutMs?: number
  /** Time for which a claim reserves a call for a client; it can be renewed. */
  readonly claimMs?: number
  /** A run waits while more bytes than this are being stored. */
  readonly maxQueuedBytes?: number
  /** Answered calls that a session remembers, to recognise repeated results. */
  readonly maxAnswers?: number
  /** Maximum bytes of an encoded frame; at least 512. */
  readonly maxLineBytes?: number
  /** Disconnects a reader that has not drained its socket for this long. */
  readonly stallTimeoutMs?: number
  /** Time after which the lease of a silent server expires and others may recover its runs. */
  readonly leaseMs?: number
  /** Time in which an aborted agent may end by itself. */
  readonly abortGraceMs?: number
  /** Time limit for a title. */
  readonly titleTimeoutMs?: number
  /** Time limit for a store in health checks. */
  readonly healthTimeoutMs?: number
  /** Time limit for a webhook request. */
  readonly webhookTimeoutMs?: number
  /** Delay before the first retry of a webhook; each later delay is five times the one before. */
  readonly webhookRetryMs?: number
}

/** Options of a handler. */
export interface HandlerOptions<Context = unknown> {
  /** Agents that clients can choose, by `agent_type`. */
  readonly agents: Readonly<Record<string, Agent>>
  /** The agent of requests without `agent_type`. */
  readonly defaultAgent: string
  readonly store: Store
  /** The protocols that clients may speak: all that this package has, unless given; `json` is always among them. */
  readonly protocols?: readonly Protocol[]
  /**
   * The context of a request: a JSON value such as its user, tenant and locale. It is stored with the runs that the request starts, and
   * reaches their agents. Throw a `MillraceError('unauthorized', …)`, or let `owner` return null, for a request without a user. [SES-6]
   */
  readonly context?: (request: Request) => Context | Promise<Context>
  /**
   * The owner of the sessions that a context creates. Other owners can neither list, read, answer, stop nor fork them; for them the
   * sessions do not exist. Null refuses the request. Required with `context`.
   */
  readonly owner?: (context: NoInfer<Context>) => string | null
  /** The user behind a context, for limits and for the record of decisions, if an owner has several users. Default: the owner. */
  readonly user?: (context: NoInfer<Context>) => string | null
  /** Restricts the requests of an owner further. */
  readonly authorize?: Authorize<NoInfer<Context>>
  /** The path under which the server is mounted, such as `/api/agents`: `/agent/run` is then found below it. None by default. */
  readonly basePath?: string
  /**
   * The address of the server for clients of other formats, an absolute URL or a path: files that their frames name are found there.
   * Default: `basePath`. Readers of the log's format resolve files against the address that they use themselves. [CHUNK-7]
   */
  readonly publicUrl?: string
  /** Required as `authorization: Bearer TOKEN` by every request except `/health` and `/openapi.json`. */
  readonly token?: string
  /** Returns the content to hide from a request in a session that it may read. */
  readonly view?: ChooseView
  /** Source of files made by a provider, which are copied to the store unless the agent stores them itself. */
  readonly files?: FileSource
  /** Host names besides `localhost` and IP addresses; `*` allows any. */
  readonly allowedHosts?: readonly string[]
  /** Origins of other sites whose pages may use this server. */
  readonly allowedOrigins?: readonly string[]
  readonly heartbeatMs?: number
  /**
   * Creates the title of a session from its first prompt, in parallel with the run. Until then, and on failure, the title is the
   * beginning of the prompt.
   */
  readonly title?: ChooseTitle<NoInfer<Context>>
  readonly limits?: HandlerLimits
  /** The retention of sessions and logs; forever by default. */
  readonly keep?: Keep
  /** Rules for URLs and file ids from clients, and values that are masked in errors and logs. */
  readonly outbound?: OutboundOptions
  /**
   * Time in which a request for approval can be approved, and in which an approval can start its tool. After that the call is
   * denied as expired. Without this, approvals do not expire. [APR-4]
   */
  readonly approvalTtlMs?: number
  /** Whether an approval must include `input_hash`, the hash of the arguments that were shown. [APR-2] */
  readonly requireInputHash?: boolean
  /** Receives errors whose details clients do not get; by default they are printed to the standard error output. */
  readonly onError?: ReportError
  /** Observers of the server, such as logs and metrics. */
  readonly observers?: readonly ServerObserver[]
  /** Receives violations of the protocol. Every line is checked if this is set, which costs time. */
  readonly onViolation?: (violation: Violation) => void
  /** The name of this server among those that share its store; random by default. */
  readonly node?: string
  /** The version that `GET /health` reports. */
  readonly version?: string
  /** Whether the holder of a lease is known to be gone, so that its runs can be recovered before the lease expires. */
  readonly isGone?: (owner: string) => boolean
  /** Called for each session whose run this server recovers. */
  readonly onRecovered?: (session: string) => void
  /**
   * When to recover runs of servers that are gone. `true`: in the background from the first request on, and on requests for their
   * sessions; the default for durable stores. `'on_request'`: only on such requests. `false`: only when `recover()` is called.
   */
  readonly recovers?: boolean | 'on_request'
  /** Called for each run that ended or paused here, after that is stored. A crash may lose a call, which `webhooks` prevent. */
  readonly onEvent?: (event: RunEvent) => unknown
  /** Endpoints that receive the same events over HTTP, signed and with retries. [HOOK-1] */
  readonly webhooks?: readonly WebhookOptions[]
  readonly now?: () => number
  readonly createId?: () => string
}

/** The default limits. */
export const defaultLimits: Required<HandlerLimits> = {
  maxBodyBytes: 1_048_576,
  bodyIdleTimeoutMs: 15_000,
  bodyTimeoutMs: 240_000,
  maxJsonDepth: 64,
  maxResults: 100,
  maxActiveRuns: 1_000,
  maxRunsPerUser: 20,
  maxReaders: 10_000,
  maxReadersPerUser: 100,
  maxUploadBytes: 67_108_864,
  maxUploads: 8,
  maxUploadsPerUser: 4,
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
