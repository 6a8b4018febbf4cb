import { type Envelope, isStepBoundary, traitsOf } from '../../../envelope/index.ts'
import { settleStep } from './agent-book.ts'
import type { ContentBlock } from '../block.ts'
import { type AgentDraft, draftAgent, type TranscriptDraft } from './draft.ts'
import { hold, joinHeld } from './held.ts'
import { toPayload } from './payload.ts'
import { dequeue, payloads } from './payloads.ts'
import { emptySequence } from '../sequence.ts'
import { stringOr } from './string-or.ts'
import { takeBlock } from './take-block.ts'
import { takeItem } from './take-item.ts'

/** Takes in a message, for its agent; false if its type is not known. [ENV-9] */
export function takeMessage(next: TranscriptDraft, envelope: Envelope): boolean {
  const { agent: id } = envelope
  const { agents } = next
  const position = agents.find(id)
  const agent = draftAgent(agents.at(position) ?? newAgent(id))
  const isKnown = takeContent(next, agent, joinHeld(agent, envelope))
  if (isKnown) next.agents = agents.set(position, agent)
  return isKnown
}

function takeContent(next: TranscriptDraft, agent: AgentDraft, message: Envelope): boolean {
  const { type, final, delta, more } = message
  const traits = traitsOf(type)
  if (traits?.isConversation && traits.unit === 'block') {
    takeBlock(next, agent, message, type as ContentBlock['type'])
    if (more) hold(agent, message)
    return true
  }
  if (type === 'queued_prompt') {
    if (more) hold(agent, message)
    else takeQueued(next, message)
    return true
  }
  const takePayload = payloads[type]
  const owner = traits?.partOf
  if (takePayload && !final) hold(agent, { ...message, more: { delta: 'text' } })
  else if (takePayload) {
    takePayload(next, agent, toPayload(delta))
    if (isStepBoundary(type)) settleStep(agent)
  } else if (owner && more) hold(agent, message)
  else if (owner) takeItem(next, agent, message, owner)
  return !!(takePayload || owner)
}

/** Takes in what became of a prompt that waits; one that is told again keeps its place. */
function takeQueued(next: TranscriptDraft, message: Envelope): void {
  const { message_id: messageId, state, delta: text } = message
  if (state !== 'queued') dequeue(next, messageId)
  else if (
    !next.queue.some((prompt) => prompt.messageId === messageId) &&
    !(next.lastId <= next.forkedAfter!)
  )
    next.queue = [...next.queue, { messageId: stringOr(messageId, ''), text, id: next.lastId }]
}

function newAgent(id: string): Parameters<typeof draftAgent>[0] {
  return {
    id,
    parent: null,
    blocks: emptySequence(),
    runs: emptySequence(),
    steps: emptySequence(),
    book: {
      nextKey: 0,
      boundary: 0,
      late: [],
      answerFrom: 0,
      settledAnswerFrom: 0,
      open: [],
      compacting: false,
      held: [],
    },
  }
}
