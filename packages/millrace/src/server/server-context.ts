import { HTTPException } from 'hono/http-exception'
import { sessionMissing } from './sessions/load-session.ts'
import type { Agent } from '../agent/port/index.ts'
import { MillraceError } from '../errors/index.ts'
import type { Store } from '../stores/port/index.ts'
import type { Action, Authorize, HandlerLimits, ReportError } from './handler-options.ts'
import type { CheckStore } from './health.ts'
import type { Quota } from './sessions/quota.ts'
import type { Protocols } from './protocols/protocols.ts'
import type { Readers } from './reading/readers.ts'
import { mapStoreErrors } from './map-store-errors.ts'
import { checkNamedLog, namedLog } from './requests/cursor.ts'
import type { Retention } from './retention/retention.ts'
import type { Runs } from './runs/runs.ts'
import type { ViewOf } from './views/view-rules.ts'

/** The values and services that routes share. */
export interface ServerContext {
  readonly store: Store
  readonly runs: Runs
  readonly readers: Readers
  readonly protocols: Protocols
  readonly limits: Required<HandlerLimits>
  readonly authorize: Authorize
  readonly createId: () => string
  readonly now: () => number
  /** Interval of heartbeats on idle streams. */
  readonly heartbeatMs: number
  /** The view of a session for a request. */
  readonly viewOf: ViewOf
  /** The principal of a request, if known. */
  readonly principal: (request: Request) => Promise<string | undefined>
  /** Active runs of each principal. */
  readonly runQuota: Quota
  /** Simultaneous requests with files. */
  readonly uploadQuota: Quota
  /** The same for each principal or remote address. */
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

/** Returns the owner of sessions that a request creates: its principal, or null. */
export async function ownerOf(
  { principal }: ServerContext,
  request: Request,
): Promise<string | null> {
  return (await principal(request)) ?? null
}

/** Throws unless a request is authorized; a session that it may not see is reported as missing. */
export async function checkAccess(
  { authorize, store }: ServerContext,
  request: Request,
  action: Action,
  session: string | undefined,
): Promise<void> {
  const verdict = await authorize(request, action, session)
  if (verdict === true) {
    // Reads compare the log with the cursor later, in one request to the store.
    if (session === undefined || action === 'read' || namedLog(request) === undefined) return
    return checkNamedLog(request, session, await mapStoreErrors(store.info(session)))
  }
  if (verdict !== false) throw new HTTPException(403, { res: verdict })
  if (session !== undefined) throw sessionMissing(session)
  throw new MillraceError(
    'forbidden',
    'You are not allowed to do this; ask the operator of the server.',
  )
}
