import type { Envelope } from '../envelope/index.ts'
import type { ContentBlock } from './block.ts'
import { type AgentDraft, draftAgent, type TranscriptDraft } from './draft.ts'
import { findPlace, NOWHERE } from './find-place.ts'
import { hold, joinHeld } from './held.ts'
import { toPayload } from './payload.ts'
import { payloads } from './payloads.ts'
import { emptySequence } from './sequence.ts'
import { takeBlock } from './take-block.ts'
import { takeItem } from './take-item.ts'

/** The block that a type of message belongs to: its own, or another if it is an item of that. [ENV-8] */
const blockTypes = new Map<string, ContentBlock['type']>([
  ['text', 'text'],
  ['thinking', 'thinking'],
  ['tool_call', 'tool_call'],
  ['server_tool_call', 'server_tool_call'],
  ['tool_result', 'tool_result'],
  ['server_tool_result', 'server_tool_result'],
  ['citation', 'text'],
  ['tool_result_image', 'tool_result'],
])

/** Takes in a message, for its agent; false if its type is not known. [ENV-9] */
export function takeMessage(next: TranscriptDraft, envelope: Envelope): boolean {
  const { agent: id } = envelope
  const { agents, places } = next
  // Most messages are the root's, and comparing one id is half the cost of a lookup.
  const place = agents.at(0)?.id === id ? 0 : findPlace(places, agents, id)
  const position = Math.min(place, agents.length)
  const agent = draftAgent(agents.at(position) ?? newAgent(id))
  if (!takeContent(next, agent, joinHeld(agent, envelope))) return false
  if (place === NOWHERE) places.set(id, position)
  next.agents = agents.set(position, agent)
  return true
}

function takeContent(next: TranscriptDraft, agent: AgentDraft, message: Envelope): boolean {
  const { type, final, delta, more } = message
  const owner = blockTypes.get(type)
  if (owner === type) {
    takeBlock(next, agent, message, owner)
    if (more) hold(agent, message)
    return true
  }
  const payload = payloads.get(type)
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
      cited: NOWHERE,
      compacting: false,
      held: [],
      places: new Map(),
    },
  })
}
