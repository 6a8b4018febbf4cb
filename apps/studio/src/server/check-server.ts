import { readField, readNumber, readString } from '../json/index.ts'
import { requestJson } from './ask-server.ts'
import type { JsonResponse } from './ask-server.ts'

/** What a server tells of itself. Of some it tells only those who have the token. */
export interface ServerHealth {
  readonly isHealthy: boolean
  readonly version: string | undefined
  readonly store: string | undefined
  readonly activeRuns: number | undefined
  /** The agents that may be chosen. */
  readonly agents: readonly string[]
  /** Who answers those that choose no agent, and with which model. */
  readonly agent: string | undefined
  readonly model: string | undefined
}

/**
 * How far one comes with a server: `foreign` is something that answers and is no Millrace server, `unreachable`
 * nothing, or nothing that the browser lets the page read.
 */
export type Reachability = 'open' | 'unauthorized' | 'unreachable' | 'foreign'

/** What a look at a server has shown. */
export interface ServerReport {
  readonly reachability: Reachability
  readonly health: ServerHealth | undefined
}

/** Looks whether a server is there and takes these headers. */
export async function checkServer(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<ServerReport> {
  const answer = await requestJson(`${url}/health`, headers)
  const health = decodeHealth(answer.body)
  if (health?.store !== undefined) return { reachability: 'open', health }
  if (answer.status === 0) return { reachability: 'unreachable', health }
  // What is left out is for those with the token, or for nobody who asks from here.
  const list = await requestJson(`${url}/agent/sessions?limit=1`, headers)
  return { reachability: toReachability(list, health), health }
}

function toReachability(list: JsonResponse, health: ServerHealth | undefined): Reachability {
  if (list.status === 401) return 'unauthorized'
  if (list.status === 0) return 'unreachable'
  return list.ok || health ? 'open' : 'foreign'
}

/** Reads what `GET /health` answers; undefined if it is something else. */
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
