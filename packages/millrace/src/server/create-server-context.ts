import { MillraceError } from '../errors/index.ts'
import { createVerifier, type Prompt, type Verifier, type Violation } from '../events/index.ts'
import { createOutboundPolicy, keepSecrets } from '../outbound/index.ts'
import { defaultProtocols } from '../protocols/registry/index.ts'
import { createIdentify } from './access/identity.ts'
import { createFeeds } from './feeds/feed.ts'
import type { Authorize, HandlerLimits, HandlerOptions } from './handler-options.ts'
import { createStoreCheck } from './health.ts'
import { createProtocols } from './protocols/protocols.ts'
import { createReaders } from './reading/readers.ts'
import { toPublicUrl } from './requests/base-path.ts'
import type { TokenCheck } from './requests/guard.ts'
import { startRetention } from './retention/retention.ts'
import type { PublishLines } from './runs/log-writer.ts'
import { createRuns, type Runs } from './runs/runs.ts'
import { readFileIds } from './runs/stored-run.ts'
import type { ServerContext } from './server-context.ts'
import { joinObservers, type ServerObserver } from './server-observer.ts'
import { headOf } from './sessions/load-session.ts'
import { createQuota } from './sessions/quota.ts'
import { rootAgentOf } from './sessions/session-record.ts'
import { withUpgrades } from './sessions/upgrade-sessions.ts'
import { toViewRules } from './views/view-rules.ts'
import { toEndpoints } from './webhooks/webhook-options.ts'
import { withOwnMethods, withStoreErrors } from './with-store-errors.ts'

/** Values shared by the parts of a server context. */
interface Shared extends Required<HandlerLimits> {
  readonly node: string
  readonly now: () => number
  readonly observer: Required<ServerObserver>
  readonly publish: PublishLines
}

/** Options with a receiver of errors. */
type ReportingOptions = HandlerOptions & Required<Pick<HandlerOptions, 'onError'>>

/** Creates the server context. */
export function createServerContext(
  options: ReportingOptions,
  limits: Required<HandlerLimits>,
  checkToken: TokenCheck,
): ServerContext {
  const { heartbeatMs = 15_000, now = Date.now, onError, basePath = '' } = options
  const publicUrl = toPublicUrl(options.publicUrl, basePath)
  const store = withStoreErrors(withUpgrades(withOwnMethods(options.store)))
  const { node = crypto.randomUUID(), createId = () => crypto.randomUUID() } = options
  keepSecrets([options.token])
  const observer = joinObservers(options.observers ?? [], onError)
  const feeds = createFeeds({ store, heartbeatMs })
  const shared = { ...limits, node, now, observer, publish: feeds.publish }
  const findRoot = async (session: string): Promise<string> =>
    rootAgentOf(session, headOf(await store.info(session)))
  const viewOf = toViewRules(options.view, findRoot)
  return {
    store,
    limits,
    node,
    version: options.version,
    agents: options.agents,
    defaultAgent: options.defaultAgent,
    now,
    basePath,
    heartbeatMs,
    createId,
    onError,
    authorize: toAuthorize(options, checkToken),
    identify: createIdentify(options),
    runs: withContentCheck({ ...options, store }, openRuns({ ...options, store }, shared)),
    viewOf,
    protocols: createProtocols(options.protocols ?? defaultProtocols()),
    readers: createReaders({ ...shared, store, feeds, viewOf, heartbeatMs, publicUrl, onError }),
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

function openRuns(options: ReportingOptions, shared: Shared): Runs {
  const { agents, defaultAgent, store, title, files, onViolation } = options
  const { approvalTtlMs, requireInputHash = false, recovers, onEvent } = options
  const { isGone = () => false, onRecovered = () => {}, onError } = options
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

/** Maximum number of logs whose state is stored; the least recently used one is then checked from its middle. */
const maxSessions = 1_000

/** Creates a check of each line of each log against the protocol. */
export function createLineCheck(
  onViolation: (violation: Violation) => void,
  maxBytes: number,
): (log: string, id: number, line: string) => void {
  const checked = new Map<string, { readonly verifier: Verifier; readonly lastId: number }>()

  const find = (log: string, id: number): Verifier => {
    const known = checked.get(log)
    // Other servers of the store wrote the lines in between.
    const isKnown = known !== undefined && id <= known.lastId + 1
    const verifier = isKnown ? known.verifier : createVerifier({ maxBytes, isResumed: id > 1 })
    checked.delete(log)
    checked.set(log, { verifier, lastId: id })
    const [oldest] = checked.keys()
    if (checked.size > maxSessions && oldest !== undefined) checked.delete(oldest)
    return verifier
  }

  return (log, id, line) => find(log, id).push(line, id).forEach(onViolation)
}

/** Options of the content check. */
type CheckedBy = Pick<HandlerOptions, 'store' | 'outbound'>

/** Wraps runs: the content of clients is checked by the outbound policy before anything is stored. */
function withContentCheck(policy: CheckedBy, runs: Runs): Runs {
  const check = createContentCheck(policy)
  return {
    ...runs,
    ask: async (request) => {
      await check(request.session, [request.prompt])
      return runs.ask(request)
    },
    answer: async (session, answers, options) => {
      const { results = [] } = answers
      const contents = results.map(({ content }) => content)
      await check(session, contents)
      return runs.answer(session, answers, options)
    },
    steer: async (session, prompt, options) => {
      await check(session, [prompt])
      return runs.steer(session, prompt, options)
    },
  }
}

function createContentCheck({ store, outbound }: CheckedBy) {
  const policy = createOutboundPolicy(outbound)
  return async (session: string, contents: readonly Prompt[]): Promise<void> => {
    const made = async (): Promise<ReadonlySet<string>> => {
      const info = await store.info(session)
      return info === undefined ? new Set() : readFileIds(store, info)
    }
    for (const content of contents) await policy.check(content, { session, madeFileIds: made })
  }
}
