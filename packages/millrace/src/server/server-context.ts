import { HTTPException } from 'hono/http-exception'
import { MillraceError } from '../errors/index.ts'
import type { Store } from '../stores/port/index.ts'
import type { Action, Authorize, HandlerLimits, ReportError } from './handler-options.ts'
import type { CheckStore } from './health.ts'
import type { Quota } from './sessions/quota.ts'
import type { Protocols } from './protocols/protocols.ts'
import type { Readers } from './reading/readers.ts'
import { mapStoreErrors } from './map-store-errors.ts'
import { checkNamedLog, namedLog } from './requests/cursor.ts'
import { sessionMissing } from './runs/run-services.ts'
import type { Retention } from './retention/retention.ts'
import type { Runs } from './runs/runs.ts'
import type { ViewOf } from './views/view-rules.ts'

/** What the routes act on. */
export interface ServerContext {
  readonly store: Store
  readonly runs: Runs
  readonly readers: Readers
  readonly protocols: Protocols
  readonly limits: Required<HandlerLimits>
  readonly authorize: Authorize
  readonly createId: () => string
  readonly now: () => number
  /** How often a quiet stream sends a comment. */
  readonly heartbeatMs: number
  /** What whoever sent a request may not see of a session. */
  readonly viewOf: ViewOf
  /** On whose behalf a request comes, if that is known. */
  readonly principal: (request: Request) => Promise<string | undefined>
  /** The places that a principal has for runs. */
  readonly runQuota: Quota
  /** The places for requests with files that are being read. */
  readonly uploadQuota: Quota
  /** The places of a principal, or of an address, among them. */
  readonly ownUploadQuota: Quota
  readonly onError: ReportError
  readonly checkStore: CheckStore
  readonly retention: Retention
  readonly node: string
  readonly version: string | undefined
  /** The types of all agents that may be chosen. */
  readonly agentTypes: readonly string[]
  /** Who answers those that choose no agent. */
  readonly defaultAgent: { readonly type: string; readonly model: string | undefined }
}

/** The owner of what a request creates: its principal; null if it has none. */
export async function ownerOf(
  { principal }: ServerContext,
  request: Request,
): Promise<string | null> {
  return (await principal(request)) ?? null
}

/** Throws unless the request may do this; a session that it may not see does not exist for it. */
export async function checkAccess(
  { authorize, store }: ServerContext,
  request: Request,
  action: Action,
  session: string | undefined,
): Promise<void> {
  const verdict = await authorize(request, action, session)
  if (verdict === true) {
    // What is read is compared with the cursor, in one look at the session.
    if (session === undefined || action === 'read' || namedLog(request) === undefined) return
    return checkNamedLog(request, session, await mapStoreErrors(store.info(session)))
  }
  if (verdict !== false) throw new HTTPException(403, { res: verdict })
  if (session !== undefined) throw sessionMissing(session)
  throw new MillraceError('forbidden', 'You may not do this here; ask whoever runs the server.')
}
