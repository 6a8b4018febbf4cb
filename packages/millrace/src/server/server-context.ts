import type { Agent } from '../agent/port/index.ts'
import type { Store } from '../stores/port/index.ts'
import type { Identify } from './access/identity.ts'
import type { Authorize, HandlerLimits, ReportError } from './handler-options.ts'
import type { CheckStore } from './health.ts'
import type { Quota } from './sessions/quota.ts'
import type { Protocols } from './protocols/protocols.ts'
import type { Readers } from './reading/readers.ts'
import type { Retention } from './retention/retention.ts'
import type { Runs } from './runs/runs.ts'
import type { ViewOf } from './views/view-rules.ts'

/** The values and services that routes share. */
export interface ServerContext {
  /** Reports its failures as `store_unavailable`. */
  readonly store: Store
  readonly runs: Runs
  readonly readers: Readers
  readonly protocols: Protocols
  readonly limits: Required<HandlerLimits>
  readonly authorize: Authorize
  readonly createId: () => string
  readonly now: () => number
  /** The path under which the server is mounted; empty if it is at the root. */
  readonly basePath: string
  /** Interval of heartbeats on idle streams. */
  readonly heartbeatMs: number
  /** The view of a session for a request. */
  readonly viewOf: ViewOf
  readonly identify: Identify
  /** Active runs of each user. */
  readonly runQuota: Quota
  /** Simultaneous requests with files. */
  readonly uploadQuota: Quota
  /** The same for each user or remote address. */
  readonly ownUploadQuota: Quota
  readonly onError: ReportError
  readonly checkStore: CheckStore
  readonly retention: Retention
  readonly node: string
  readonly version: string | undefined
  /** The agents that clients can choose, by type. */
  readonly agents: Readonly<Record<string, Agent>>
  /** The type of the agent of requests that choose none. */
  readonly defaultAgent: string
}
