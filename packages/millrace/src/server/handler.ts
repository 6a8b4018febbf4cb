import { MIN_SSE_CHUNK_BYTES } from '../envelope/index.ts'
import { MillraceError } from '../errors/index.ts'
import { createRoutes } from './create-routes.ts'
import { toErrorResponse } from './error-response.ts'
import { createStoreCheck } from './health.ts'
import { checkSource, guardResponse, toPreflightResponse } from './guard.ts'
import { defaultLimits, type HandlerLimits, type HandlerOptions } from './handler-options.ts'
import { createLineCheck } from './line-check.ts'
import { createReaders } from './readers.ts'
import { createRuns } from './runs.ts'
import { joinObservers } from './server-observer.ts'

/** What goes on in a server. */
export interface Activity {
  readonly runs: number
  readonly readers: number
}

/** A server without a socket: put it behind anything that speaks `fetch`. */
export interface Handler {
  fetch(request: Request): Promise<Response>
  /**
   * Carries on runs that a server has left behind which shares the store; from then on it looks again from time to
   * time. Resolves with the sessions that it found now.
   */
  recover(): Promise<readonly string[]>
  /** What goes on now: runs under way, and open streams. */
  activity(): Activity
  /** Takes no more runs, and hands those under way over, or ends them where the store does not outlive the process. */
  close(): Promise<void>
}

/** Builds the handler of all routes; the store stays the caller's to close. */
export function createHandler(options: HandlerOptions): Handler {
  const { agents, defaultAgent, store, heartbeatMs = 15_000, now = Date.now } = options
  const { node = crypto.randomUUID(), version, observers = [] } = options
  const { onError = () => {}, onViolation, title } = options
  const observer = joinObservers(observers, onError)
  const limits = { ...defaultLimits, ...options.limits }
  checkOptions(options, limits)
  const onLine = onViolation && createLineCheck(onViolation, limits.maxLineBytes)
  const runs = createRuns({
    ...limits,
    agents,
    defaultAgent,
    store,
    now,
    node,
    observer,
    isGone: options.isGone ?? (() => false),
    onRecovered: options.onRecovered ?? (() => {}),
    onError,
    ...(onLine === undefined ? {} : { onLine }),
    ...(title === undefined ? {} : { title }),
  })
  const readers = createReaders({ ...limits, store, heartbeatMs, onError, observer })
  const { authorize = () => true, createId = () => crypto.randomUUID() } = options
  const checkStore = createStoreCheck({ store, limits, onError })
  const self = { node, version, checkStore, onError }
  const app = createRoutes({ store, runs, readers, limits, authorize, createId, ...self })
  const { allowedHosts = [], allowedOrigins = [] } = options
  const guard = { allowedHosts, allowedOrigins }

  const respond = async (request: Request): Promise<Response> => {
    try {
      checkSource(request, guard)
    } catch (error) {
      return toErrorResponse(error, onError)
    }
    return request.method === 'OPTIONS' ? toPreflightResponse() : app.fetch(request)
  }

  return {
    fetch: async (request) => guardResponse(request, await respond(request), guard),
    recover: runs.recover,
    activity: () => ({ runs: runs.count(), readers: readers.count() }),
    close: async () => {
      await runs.close()
      readers.close()
    },
  }
}

/** What would fail every request is told to whoever builds the server. */
function checkOptions(
  { agents, defaultAgent }: HandlerOptions,
  { maxLineBytes }: Required<HandlerLimits>,
): void {
  if (!Object.hasOwn(agents, defaultAgent)) {
    throw new MillraceError(
      'bad_request',
      `defaultAgent is ${JSON.stringify(defaultAgent)}, which is not among the agents: ${Object.keys(agents).join(', ') || 'none'}.`,
    )
  }
  if (Number.isInteger(maxLineBytes) && maxLineBytes >= MIN_SSE_CHUNK_BYTES) return
  throw new MillraceError(
    'bad_request',
    `limits.maxLineBytes is ${maxLineBytes}; it must be a whole number of at least ${MIN_SSE_CHUNK_BYTES}.`,
  )
}
