import { isMillraceError, MillraceError } from '../errors/index.ts'
import type { ServerContext } from './server-context.ts'
import { inTime } from './in-time.ts'

/** Asks the store whether it works; gives what is wrong with it, if anything. */
export type CheckStore = () => Promise<MillraceError | undefined>

/** Builds what asks a store; those who ask while it is being asked share the answer. */
export function createStoreCheck({
  store,
  limits,
  onError,
}: Pick<ServerContext, 'store' | 'limits' | 'onError'>): CheckStore {
  const { healthTimeoutMs: timeoutMs } = limits
  let asked: ReturnType<CheckStore> | undefined
  const ask: CheckStore = async () => {
    try {
      await inTime(store.ping(), timeoutMs, () => silent(timeoutMs))
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

/**
 * `GET /health`: whether this server can serve, 503 if its store fails. The status is for everyone; the rest is for
 * those whom `authorize` lets see it.
 */
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
  const isTold = (await authorize(request, 'health', undefined)) === true
  return Response.json(
    { status, ...(isTold && details) },
    { status: isHealthy ? 200 : 503, headers: { 'cache-control': 'no-store' } },
  )
}

function failed(): MillraceError {
  return new MillraceError(
    'store_unavailable',
    'The store of the sessions failed; the server’s log has the cause.',
  )
}

function silent(timeoutMs: number): MillraceError {
  return new MillraceError(
    'store_unavailable',
    `The store has not answered for ${timeoutMs} ms; check that it runs and can be reached.`,
  )
}
