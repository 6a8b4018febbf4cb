import { isMillraceError, MillraceError } from '../errors/index.ts'
import type { ServerContext } from './server-context.ts'
import { inTime } from './timing.ts'

/** Checks the store; resolves with its error, if any. */
export type CheckStore = () => Promise<MillraceError | undefined>

/** Share of the time limit after which a store returns its last failure. */
const PING_SHARE = 0.75

/** Creates a store check. Concurrent checks share one request. */
export function createStoreCheck({
  store,
  limits,
  onError,
}: Pick<ServerContext, 'store' | 'limits' | 'onError'>): CheckStore {
  const { healthTimeoutMs: timeoutMs } = limits
  let asked: ReturnType<CheckStore> | undefined
  const ask: CheckStore = async () => {
    try {
      await inTime(store.ping(PING_SHARE * timeoutMs), timeoutMs, () => silent(timeoutMs))
      return undefined
    } catch (error) {
      onError(error)
      return isMillraceError(error) ? error : failed()
    } finally {
      asked = undefined
    }
  }
  return () => (asked ??= ask())
}

const noAccess = { context: undefined, owner: null, isShared: false }

/** Handles `GET /health`: 503 if the store fails. The status is public; details require `authorize`. */
export async function getHealth(context: ServerContext, request: Request): Promise<Response> {
  const { authorize, checkStore, runs, readers, node, version, agents, defaultAgent } = context
  const model = agents[defaultAgent]?.model
  const problem = await checkStore()
  const isHealthy = problem === undefined
  const status = isHealthy ? 'healthy' : 'unhealthy'
  const details = {
    store: isHealthy ? 'available' : 'unavailable',
    ...(problem !== undefined && { reason: problem.message }),
    node,
    ...(version !== undefined && { version }),
    agents: Object.keys(agents),
    default_agent: defaultAgent,
    ...(model !== undefined && { default_model: model }),
    active_runs: runs.count(),
    readers: readers.count(),
  }
  const isAuthorized = (await authorize(request, 'health', undefined, noAccess)) === true
  return Response.json(
    { status, ...(isAuthorized && details) },
    { status: isHealthy ? 200 : 503, headers: { 'cache-control': 'no-store' } },
  )
}

function failed(): MillraceError {
  return new MillraceError(
    'store_unavailable',
    'The store failed; see the log of the server for the cause.',
  )
}

function silent(timeoutMs: number): MillraceError {
  return new MillraceError(
    'store_unavailable',
    `The store did not respond within ${timeoutMs} ms; check that it is running and reachable.`,
  )
}
