import { MillraceError } from '../errors/index.ts'
import { keepSecrets } from '../outbound/index.ts'
import { defaultProtocols } from '../protocols/registry/index.ts'
import { createIdentify } from './access/identity.ts'
import type { TokenCheck } from './requests/check-token.ts'
import { withContentCheck } from './sessions/check-content.ts'
import { createFeeds } from './feeds/feeds.ts'
import type { Authorize, HandlerLimits, HandlerOptions } from './handler-options.ts'
import { createStoreCheck } from './health.ts'
import type { ServerContext } from './server-context.ts'
import { createLineCheck } from './runs/line-check.ts'
import { createQuota } from './sessions/quota.ts'
import { createProtocols } from './protocols/protocols.ts'
import { createReaders } from './reading/readers.ts'
import type { PublishLines } from './runs/log-writer.ts'
import { createRuns, type Runs } from './runs/runs.ts'
import { joinObservers, type ServerObserver } from './server-observer.ts'
import { mapStoreErrors } from './map-store-errors.ts'
import { headOf } from './sessions/load-session.ts'
import { rootAgentOf } from './sessions/session-record.ts'
import { startRetention } from './retention/retention.ts'
import { withUpgrades } from './sessions/upgrade-sessions.ts'
import { toViewRules } from './views/view-rules.ts'
import { toEndpoints } from './webhooks/webhook-options.ts'

/** Values shared by the parts of a server context. */
interface Shared extends Required<HandlerLimits> {
  readonly node: string
  readonly now: () => number
  readonly observer: Required<ServerObserver>
  readonly publish: PublishLines
}

/** Creates the server context. */
export function createServerContext(
  options: HandlerOptions,
  limits: Required<HandlerLimits>,
  checkToken: TokenCheck,
): ServerContext {
  const { heartbeatMs = 15_000, now = Date.now, onError = () => {} } = options
  const store = withUpgrades(options.store)
  const { node = crypto.randomUUID(), createId = () => crypto.randomUUID() } = options
  keepSecrets([options.token])
  const observer = joinObservers(options.observers ?? [], onError)
  const feeds = createFeeds({ store, heartbeatMs })
  const shared = { ...limits, node, now, observer, publish: feeds.publish }
  const findRoot = async (session: string): Promise<string> =>
    rootAgentOf(session, headOf(await mapStoreErrors(store.info(session))))
  const viewOf = toViewRules(options.view, findRoot)
  return {
    store,
    limits,
    node,
    version: options.version,
    agents: options.agents,
    defaultAgent: options.defaultAgent,
    now,
    heartbeatMs,
    createId,
    onError,
    authorize: toAuthorize(options, checkToken),
    identify: createIdentify(options),
    runs: withContentCheck({ ...options, store }, openRuns({ ...options, store }, shared)),
    viewOf,
    protocols: createProtocols(options.protocols ?? defaultProtocols()),
    readers: createReaders({ ...shared, store, feeds, viewOf, heartbeatMs, onError }),
    runQuota: createQuota(limits.maxRunsPerUser, tooManyOwnRuns),
    uploadQuota: createQuota(limits.maxUploads, tooManyUploads),
    ownUploadQuota: createQuota(limits.maxUploadsPerUser, tooManyOwnUploads),
    checkStore: createStoreCheck({ store, limits, onError }),
    retention: startRetention({
      ...shared,
      store: options.store,
      keep: options.keep ?? {},
      onError,
    }),
  }
}

function openRuns(options: HandlerOptions, shared: Shared): Runs {
  const { agents, defaultAgent, store, title, files, onViolation } = options
  const { approvalTtlMs, requireInputHash = false, recovers, onEvent } = options
  const { isGone = () => false, onRecovered = () => {}, onError = () => {} } = options
  const onLine = onViolation && createLineCheck(onViolation, shared.maxLineBytes)
  return createRuns({
    ...shared,
    agents,
    defaultAgent,
    store,
    isGone,
    onRecovered,
    onError,
    requireInputHash,
    ...(approvalTtlMs !== undefined && { approvalTtlMs }),
    endpoints: toEndpoints(options.webhooks),
    ...(onEvent !== undefined && { onEvent }),
    ...(recovers !== undefined && { recovers }),
    ...(onLine !== undefined && { onLine }),
    ...(title !== undefined && { title }),
    ...(options.keep?.runs !== undefined && { keepRuns: options.keep.runs }),
    ...(files !== undefined && { files }),
  })
}

/** Wraps `authorize`: details of `health` require the token, which the route itself does not. */
function toAuthorize(
  { authorize = () => true }: HandlerOptions,
  checkToken: TokenCheck,
): Authorize {
  return async (request, action, session, access) => {
    if (action !== 'health') return authorize(request, action, session, access)
    const hasToken = await checkToken(request).then(
      () => true,
      () => false,
    )
    return hasToken && authorize(request, action, session, access)
  }
}

function tooManyOwnRuns(max: number): MillraceError {
  return new MillraceError(
    'too_many_requests',
    `You have reached the limit of ${max} active runs; wait for one to end, or stop it.`,
  )
}

function tooManyOwnUploads(max: number): MillraceError {
  return new MillraceError(
    'too_many_requests',
    `You have reached the limit of ${max} simultaneous uploads; wait for one to end.`,
  )
}

function tooManyUploads(max: number): MillraceError {
  return new MillraceError(
    'overloaded',
    `The server has reached its limit of ${max} simultaneous uploads; try again in a moment.`,
  )
}
