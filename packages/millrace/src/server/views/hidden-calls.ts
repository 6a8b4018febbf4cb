import type { GivenAnswer, PendingCall } from '../../agent/port/index.ts'
import { mapStoreErrors } from '../map-store-errors.ts'
import type { ServerContext } from '../server-context.ts'
import { headOf, loadField, loadPending } from '../sessions/load-session.ts'
import type { ViewRules } from './view-rules.ts'

/** Masks ids of calls of hidden agents in a request, so that they match no call. */
interface CallMask {
  /** Returns the id, or an unknown id if the call belongs to a hidden agent. */
  readonly idOf: (callId: string) => string
  /** Selects the hidden agents; undefined if none is hidden. */
  readonly hides: ((agent: string) => boolean) | undefined
}

/** No call id has this prefix: models and this library write no control characters. */
const mark = '\u0000hidden:'

/** If the view cannot be determined, all calls are hidden; the request fails later, when content is read. */
const unknownView: Pick<ViewRules, 'hidesAgent'> = { hidesAgent: () => true }

/** Finds the calls of a request that are hidden from it, so that it gets the same response as for calls that do not exist. */
export async function maskCalls(
  { store, viewOf }: Pick<ServerContext, 'store' | 'viewOf'>,
  request: Request,
  session: string,
  ids: readonly string[],
): Promise<CallMask> {
  const rules = await viewOf(request, session).catch(() => unknownView)
  if (rules === undefined) return { idOf: (id) => id, hides: undefined }
  const { hidesAgent: hides } = rules
  if (ids.length === 0) return { idOf: (id) => id, hides }
  const info = await mapStoreErrors(store.info(session))
  const head = headOf(info)
  if (info === undefined || head === undefined) return { idOf: (id) => id, hides }
  const { calls, approvals, answered = [] } = await loadPending(store, info, head)
  const answers = ((await loadField(store, info, 'answers')) ?? []) as readonly GivenAnswer[]
  const owners = new Map<string, string | undefined>([
    ...[...answers, ...answered].map(({ toolUseId: callId, agent }) => [callId, agent] as const),
    ...[...calls, ...approvals].map(({ id, agent }: PendingCall) => [id, agent] as const),
  ])
  const isHidden = (id: string): boolean => {
    const owner = owners.get(id)
    return owner !== undefined && hides(owner)
  }
  return { idOf: (id) => (isHidden(id) ? `${mark}${id}` : id), hides }
}

/** Returns the agent of a request, masked if it is hidden. */
export function maskAgent(
  agent: string | undefined,
  rules: ViewRules | undefined,
): string | undefined {
  return agent !== undefined && rules?.hidesAgent(agent) === true ? `${mark}${agent}` : agent
}
