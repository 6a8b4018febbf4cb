import type { GivenAnswer, PendingCall } from '../../agent/port/index.ts'
import { mapStoreErrors } from '../map-store-errors.ts'
import type { ServerContext } from '../server-context.ts'
import { headOf, loadField, loadPending } from '../sessions/load-session.ts'
import type { ViewRules } from './view-rules.ts'

/** The calls that do not exist for a request, because it may not see their agents. */
export interface CallDisguise {
  /** The id itself, or one that no call has if the call is pending or was answered and belongs to a hidden agent. */
  readonly idOf: (toolUseId: string) => string
  /** Selects the hidden agents; undefined if none is hidden. */
  readonly hides: ((agent: string) => boolean) | undefined
}

/** No id of a call begins like this: models and this library write no control characters. */
const mark = '\u0000hidden:'

/** Where no view could be chosen no call exists; the request fails as soon as something of the session is shown. */
const unknownView: Pick<ViewRules, 'hidesAgent'> = { hidesAgent: () => true }

/** Finds which of the calls that a request names do not exist for it. */
export async function disguiseCalls(
  { store, viewOf }: Pick<ServerContext, 'store' | 'viewOf'>,
  request: Request,
  session: string,
  ids: readonly string[],
): Promise<CallDisguise> {
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
    ...[...answers, ...answered].map(({ toolUseId, agent }) => [toolUseId, agent] as const),
    ...[...calls, ...approvals].map(({ id, agent }: PendingCall) => [id, agent] as const),
  ])
  const isHidden = (id: string): boolean => {
    const owner = owners.get(id)
    return owner !== undefined && hides(owner)
  }
  return { idOf: (id) => (isHidden(id) ? `${mark}${id}` : id), hides }
}

/** The agent that a request means, or one that does not exist in place of a hidden one. */
export function disguiseAgent(
  agent: string | undefined,
  rules: ViewRules | undefined,
): string | undefined {
  return agent !== undefined && rules?.hidesAgent(agent) === true ? `${mark}${agent}` : agent
}
