import type { Envelope } from '../envelope/index.ts'
import type { ContentBlock } from './block.ts'
import { type AgentDraft, draftAgent, type TranscriptDraft } from './draft.ts'
import { findPlace } from './find-place.ts'
import { hold, joinHeld } from './held.ts'
import { toPayload } from './payload.ts'
import { payloads } from './payloads.ts'
import { emptySequence } from './sequence.ts'
import { takeBlock } from './take-block.ts'
import { itemOwners, takeItem } from './take-item.ts'

const contentTypes: ReadonlySet<string> = new Set<ContentBlock['type']>([
  'text',
  'thinking',
  'tool_call',
  'server_tool_call',
  'tool_result',
  'server_tool_result',
])

/** Takes in a message, for its agent; false if its type is not known. [ENV-9] */
export function takeMessage(next: TranscriptDraft, envelope: Envelope): boolean {
  const { agent: id } = envelope
  const { agents, places } = next
  // Most messages are the root's, and comparing one id is half the cost of a lookup.
  const found = agents.at(0)?.id === id ? 0 : findPlace(places, agents, id)
  const position = found ?? agents.length
  const agent = draftAgent(agents.at(position) ?? newAgent(id))
  if (!takeContent(next, agent, joinHeld(agent, envelope))) return false
  if (found === undefined) places.set(id, position)
  next.agents = agents.set(position, agent)
  return true
}

function takeContent(next: TranscriptDraft, agent: AgentDraft, message: Envelope): boolean {
  const { type, final, delta, more } = message
  if (isContentType(type)) {
    takeBlock(next, agent, message, type)
    if (more) hold(agent, message)
    return true
  }
  const owner = ownValue(itemOwners, type)
  const payload = ownValue(payloads, type)
  if (payload && !final) hold(agent, { ...message, more: { delta: 'text' } })
  else if (payload) payload(next, agent, toPayload(delta))
  else if (owner && more) hold(agent, message)
  else if (owner) takeItem(next, agent, message, owner)
  else return false
  return true
}

function newAgent(id: string): AgentDraft {
  return draftAgent({
    id,
    parent: null,
    blocks: emptySequence(),
    runs: emptySequence(),
    steps: emptySequence(),
    book: {
      nextKey: 0,
      boundary: 0,
      open: [],
      cited: undefined,
      compacting: false,
      held: [],
      places: new Map(),
    },
  })
}

function isContentType(type: string): type is ContentBlock['type'] {
  return contentTypes.has(type)
}

function ownValue<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}
