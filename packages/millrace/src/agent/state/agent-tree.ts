import type { AgentState, OpenTurn } from './agent-state.ts'
import type { AnnouncedCall } from '../../events/index.ts'

/** Returns the sub-agents whose calls are open, each with the id of its call. */
export function openChildren({
  turn,
  children = {},
}: AgentState): readonly { readonly callId: string; readonly child: AgentState }[] {
  return openCalls(turn).flatMap(({ id: callId }) => {
    const child = children[turn?.spawned?.[callId] ?? '']
    return child === undefined ? [] : [{ callId, child }]
  })
}

/** Returns an agent and all active sub-agents beneath it. */
export function agentsIn(state: AgentState): readonly AgentState[] {
  return [state, ...openChildren(state).flatMap(({ child }) => agentsIn(child))]
}

/** Searches an agent and all of its sub-agents, including ended ones. */
export function findFirst<Found>(
  state: AgentState,
  find: (agent: AgentState) => Found | undefined,
): Found | undefined {
  const own = find(state)
  if (own !== undefined) return own
  for (const child of Object.values(state.children ?? {})) {
    const found = findFirst(child, find)
    if (found !== undefined) return found
  }
  return undefined
}

/** Replaces a sub-agent's state. */
export function withChild(state: AgentState, child: AgentState): AgentState {
  return { ...state, children: { ...state.children, [child.agent]: child } }
}

/** Changes the first agent of a tree that has a change; undefined if none has. */
export function changeFirst(
  state: AgentState,
  change: (agent: AgentState) => AgentState | undefined,
): AgentState | undefined {
  const changed = change(state)
  if (changed !== undefined) return changed
  for (const { child } of openChildren(state)) {
    const changedChild = changeFirst(child, change)
    if (changedChild !== undefined) return withChild(state, changedChild)
  }
  return undefined
}

/** Changes one agent of a tree, if it is active there. */
export function changeAgent(
  state: AgentState,
  agent: string,
  change: (agent: AgentState) => AgentState,
): AgentState {
  return changeFirst(state, (one) => (one.agent === agent ? change(one) : undefined)) ?? state
}

/** Returns the calls of an open turn that have no result yet. */
export function openCalls(turn: OpenTurn | undefined): readonly AnnouncedCall[] {
  const { calls = [], results = [] } = turn ?? {}
  const answered = new Set(results.map((block) => block['tool_use_id']))
  return calls.filter(({ id }) => !answered.has(id))
}

/** Checks whether a run is between two steps: every call of the last message has its result, and every event was sent. */
export function isBetweenSteps({ turn, unsent = [] }: AgentState): boolean {
  return turn !== undefined && openCalls(turn).length === 0 && unsent.length === 0
}
