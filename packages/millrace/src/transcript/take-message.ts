import type { Envelope } from '../envelope/index.ts'
import type { ContentBlock } from './grow-block.ts'
import { type AgentDraft, draftAgent, type TranscriptDraft } from './draft.ts'
import { findPlace } from './find-place.ts'
import { hold, joinHeld } from './held.ts'
import { toPayload } from './payload.ts'
import { payloads } from './payloads.ts'
import { emptySequence } from './sequence.ts'
import { takeBlock } from './take-block.ts'
import { items, takeItem } from './take-item.ts'

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
  const { agent: id, type } = envelope
  // Most messages are the root's, and comparing one id is half the cost of a lookup.
  const found = next.agents.at(0)?.id === id ? 0 : findPlace(next.places, next.agents, id)
  const position = found ?? next.agents.length
  const agent = draftAgent(next.agents.at(position) ?? newAgent(id))
  const message = agent.book.held.length > 0 ? joinHeld(agent, envelope) : envelope
  if (isContentType(type)) {
    takeBlock(next, agent, message, type)
    if (message.more && !message.final) hold(agent, message)
  } else if (!takeOther(next, agent, message)) return false
  if (found === undefined) next.places.set(id, position)
  next.agents = next.agents.set(position, agent)
  return true
}

function takeOther(next: TranscriptDraft, agent: AgentDraft, message: Envelope): boolean {
  const item = ownValue(items, message.type)
  const payload = ownValue(payloads, message.type)
  if (payload ? !message.final : message.more) {
    hold(agent, payload ? { ...message, more: { delta: 'text' } } : message)
  } else if (item) takeItem(next, agent, message, item)
  else payload?.(next, agent, toPayload(message.delta))
  return item !== undefined || payload !== undefined
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
