import { readField, readNumber, readString } from '../json/index.ts'
import { requestJson } from './request-json.ts'
import type { JsonResponse } from './request-json.ts'

/** Health of a server. Some servers send details only with a token. */
export interface ServerHealth {
  readonly isHealthy: boolean
  readonly version: string | undefined
  readonly store: string | undefined
  readonly activeRuns: number | undefined
  /** Names of the agents. */
  readonly agents: readonly string[]
  /** Default agent and its model. */
  readonly agent: string | undefined
  readonly model: string | undefined
}

/**
 * Reachability of a server: `foreign` is a response of another program, `unreachable` is no response or none that the browser allows the
 * page to read.
 */
export type Reachability = 'open' | 'unauthorized' | 'unreachable' | 'foreign'

/** Result of a check. */
export interface ServerReport {
  readonly reachability: Reachability
  readonly health: ServerHealth | undefined
}

/** Checks whether a server responds and accepts these headers. */
export async function checkServer(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<ServerReport> {
  const answer = await requestJson(`${url}/health`, headers)
  const health = decodeHealth(answer.body)
  if (health?.store !== undefined) return { reachability: 'open', health }
  if (answer.status === 0) return { reachability: 'unreachable', health }
  // Details are missing without a token, or for this origin.
  const list = await requestJson(`${url}/agent/sessions?limit=1`, headers)
  return { reachability: toReachability(list, health), health }
}

function toReachability(list: JsonResponse, health: ServerHealth | undefined): Reachability {
  if (list.status === 401) return 'unauthorized'
  if (list.status === 0) return 'unreachable'
  return list.ok || health ? 'open' : 'foreign'
}

/** Decodes the response of `GET /health`; undefined for other responses. */
function decodeHealth(value: unknown): ServerHealth | undefined {
  const status = readString(value, 'status')
  if (status !== 'healthy' && status !== 'unhealthy') return undefined
  return {
    isHealthy: status === 'healthy',
    version: readString(value, 'version'),
    store: readString(value, 'store'),
    activeRuns: readNumber(value, 'active_runs'),
    agents: decodeNames(readField(value, 'agents')),
    agent: readString(value, 'default_agent'),
    model: readString(value, 'default_model'),
  }
}

function decodeNames(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : []
}
