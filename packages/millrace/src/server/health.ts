import { MillraceError } from '../errors/index.ts'
import type { House } from './house.ts'
import { inTime } from './in-time.ts'

/** Asks the store whether it works. */
export type CheckStore = () => Promise<boolean>

/** Builds what asks a store; those who ask while it is being asked share the answer. */
export function createStoreCheck({
  store,
  limits,
  onError,
}: Pick<House, 'store' | 'limits' | 'onError'>): CheckStore {
  const { healthTimeoutMs: timeoutMs } = limits
  let asked: Promise<boolean> | undefined
  const ask = async (): Promise<boolean> => {
    try {
      await inTime(store.ping(), timeoutMs, () => silent(timeoutMs))
      return true
    } catch (error) {
      onError(error)
      return false
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
export async function getHealth(house: House, request: Request): Promise<Response> {
  const { authorize, checkStore, runs, readers, node, version, agentTypes, defaultAgent } = house
  const { type, model } = defaultAgent
  const isHealthy = await checkStore()
  const status = isHealthy ? 'healthy' : 'unhealthy'
  const details = {
    store: isHealthy ? 'available' : 'unavailable',
    node,
    ...(version !== undefined && { version }),
    agents: agentTypes,
    default_agent: type,
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

function silent(timeoutMs: number): MillraceError {
  return new MillraceError(
    'store_unavailable',
    `The store has not answered for ${timeoutMs} ms; check that it runs and can be reached.`,
  )
}
