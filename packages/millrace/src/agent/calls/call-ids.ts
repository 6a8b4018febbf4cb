import {
  type BlockEnd,
  type BlockStart,
  type ContentBlock,
  followingCallId,
  isCall,
} from '../../events/index.ts'
import { type AgentState, changeFirst } from '../state/index.ts'

/** The id of a call without an id from the model. */
const UNNAMED = 'call_1'

/** The call ids of a session: no two calls of any of its agents share one. [CALL-1] */
export interface CallIds {
  /** Reserves an id for a call of an agent; returns another one if it is taken. */
  take(id: string, agent: string): string
  /** Releases the ids of an agent's void calls, for that agent to take again. */
  release(ids: readonly string[], agent: string): void
}

/** Creates the registry of a session from the state of its root agent. */
export function createCallIds(state: AgentState): CallIds {
  /** Maps an id to the only agent that may take it again; undefined if none may. */
  const taken = new Map<string, string | undefined>()
  const release = (ids: readonly string[], agent: string): void => {
    for (const id of ids) taken.set(id, agent)
  }
  for (const { agent, voidCalls = [] } of allAgents(state)) release(voidCalls, agent)
  for (const id of callIdsIn(state)) taken.set(id, undefined)
  return {
    take(id, agent) {
      let free = id
      while (taken.has(free) && taken.get(free) !== agent) free = followingCallId(free)
      taken.set(free, undefined)
      return free
    },
    release,
  }
}

/** Yields the ids of all calls of an agent and its sub-agents, except void ones. */
function* callIdsIn(state: AgentState): Generator<string, void, undefined> {
  for (const { messages, skipped, unlistedCalls = [] } of allAgents(state)) {
    yield* unlistedCalls
    if (skipped !== undefined) yield* skipped.calls
    for (const { content } of messages) {
      for (const block of content) if (isCall(block)) yield String(block['id'])
    }
  }
}

/** Yields an agent and all of its remembered sub-agents. */
function* allAgents(state: AgentState): Generator<AgentState, void, undefined> {
  yield state
  for (const child of Object.values(state.children ?? {})) yield* allAgents(child)
}

/** Yields the ids of all calls that an agent and its sub-agents have shown, including void ones. */
export function* shownCallIdsIn(state: AgentState): Generator<string, void, undefined> {
  yield* callIdsIn(state)
  for (const { voidCalls = [] } of allAgents(state)) yield* voidCalls
}

/**
 * Records shown calls of an agent as void, so that no other agent takes their ids. Ids of an agent that is not in the state stay taken
 * for all.
 */
export function withVoidCalls(
  state: AgentState,
  agent: string,
  ids: readonly string[],
): AgentState {
  if (ids.length === 0) return state
  const change = (one: AgentState) =>
    one.agent === agent ? { ...one, voidCalls: [...(one.voidCalls ?? []), ...ids] } : undefined
  return changeFirst(state, change) ?? withUnlistedCalls(state, ids)
}

function withUnlistedCalls(state: AgentState, ids: readonly string[]): AgentState {
  const known = new Set(callIdsIn(state))
  const unlisted = ids.filter((id) => !known.has(id))
  if (unlisted.length === 0) return state
  return { ...state, unlistedCalls: [...(state.unlistedCalls ?? []), ...unlisted] }
}

/** Assigns session ids to the calls of one model message. */
interface CallNames {
  rename<Event extends BlockStart | BlockEnd>(event: Event): Event
  /** Returns the content of the message with the same ids. */
  content(blocks: readonly ContentBlock[]): readonly ContentBlock[]
  /** Returns the ids of calls that have started and not ended. */
  cut(): readonly string[]
}

/** Creates the ids of a message's calls; two calls with one id are distinguished by their blocks. */
export function nameCalls(callIds: CallIds, agent: string): CallNames {
  const calls = new Map<number, NamedCall>()

  function take(given: unknown): string {
    return callIds.take(typeof given === 'string' && given !== '' ? given : UNNAMED, agent)
  }

  function name({ block, content, type }: BlockStart | BlockEnd): string {
    const { id: given } = content
    const call = calls.get(block) ?? { block, given, id: take(given), isWhole: false }
    calls.set(block, { ...call, isWhole: type === 'block_end' })
    return call.id
  }

  return {
    rename: (event) =>
      event.kind === 'tool_call'
        ? { ...event, content: withId(event.content, name(event)) }
        : event,
    content(blocks) {
      const whole = [...calls.values()].filter(({ isWhole }) => isWhole)
      const left = whole.toSorted((one, other) => one.block - other.block)
      return blocks.map((block) => {
        if (!isCall(block)) return block
        const place = left.findIndex(({ given }) => given === block['id'])
        const [call] = place === -1 ? [] : left.splice(place, 1)
        return withId(block, call?.id ?? take(block['id']))
      })
    },
    cut: () => [...calls.values()].flatMap(({ id, isWhole }) => (isWhole ? [] : [id])),
  }
}

interface NamedCall {
  readonly block: number
  /** The id from the model. */
  readonly given: unknown
  readonly id: string
  readonly isWhole: boolean
}

function withId(block: ContentBlock, id: string): ContentBlock {
  return block['id'] === id ? block : { ...block, id }
}
