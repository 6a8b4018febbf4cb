import type { Envelope } from '../envelope/index.ts'
import type { ContentBlock } from './block.ts'
import { type AgentDraft, draftAgent, type TranscriptDraft } from './draft.ts'
import { hold, joinHeld } from './held.ts'
import { toPayload } from './payload.ts'
import { payloads } from './payloads.ts'
import { emptySequence } from './sequence.ts'
import { takeBlock } from './take-block.ts'
import { takeItem } from './take-item.ts'

/** The types whose messages are shown as they come. */
const blockTypes = new Set<string>([
  'text',
  'thinking',
  'tool_call',
  'server_tool_call',
  'tool_result',
  'server_tool_result',
] satisfies ContentBlock['type'][])

/** The block that an item belongs to. [ENV-8] */
const owners = new Map<string, ContentBlock['type']>([
  ['citation', 'text'],
  ['tool_result_image', 'tool_result'],
])

/** Takes in a message, for its agent; false if its type is not known. [ENV-9] */
export function takeMessage(next: TranscriptDraft, envelope: Envelope): boolean {
  const { agent: id } = envelope
  const { agents } = next
  const position = agents.find(id)
  const agent = draftAgent(agents.at(position) ?? newAgent(id))
  if (!takeContent(next, agent, joinHeld(agent, envelope))) return false
  next.agents = agents.set(position, agent)
  return true
}

function takeContent(next: TranscriptDraft, agent: AgentDraft, message: Envelope): boolean {
  const { type, final, delta, more } = message
  if (isBlockType(type)) {
    takeBlock(next, agent, message, type)
    if (more) hold(agent, message)
    return true
  }
  const takePayload = payloads.get(type)
  const owner = owners.get(type)
  if (takePayload && !final) hold(agent, { ...message, more: { delta: 'text' } })
  else if (takePayload) takePayload(next, agent, toPayload(delta))
  else if (owner && more) hold(agent, message)
  else if (owner) takeItem(next, agent, message, owner)
  else return false
  return true
}

function isBlockType(type: string): type is ContentBlock['type'] {
  return blockTypes.has(type)
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
      compacting: false,
      held: [],
    },
  })
}
