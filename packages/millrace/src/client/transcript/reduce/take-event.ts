import { traitsOfEvent, type StreamEvent } from '../../../events/index.ts'
import { emptySequence } from '../sequence.ts'
import { settleStep } from './reducer-state.ts'
import { type AgentDraft, draftAgent, type TranscriptDraft } from './draft.ts'
import { type ChangeByEvent, eventChanges } from './event-changes.ts'
import { takePiece } from './take-piece.ts'

/** Applies an event to its agent; false if the transcript does not show events of this type. [ENV-9] */
export function takeEvent(next: TranscriptDraft, event: StreamEvent): boolean {
  const { agent: id } = event
  const { agents } = next
  const position = agents.find(id)
  const agent = draftAgent(agents.at(position) ?? newAgent(id))
  const isShown = 'start' in event ? takePiece(next, agent, event) : change(next, agent, event)
  if (isShown) next.agents = agents.set(position, agent)
  return isShown
}

function change(next: TranscriptDraft, agent: AgentDraft, event: StreamEvent): boolean {
  const { type } = event
  const apply = (eventChanges as Partial<Record<string, ChangeByEvent>>)[type]
  apply?.(next, agent, event)
  const isBoundary = traitsOfEvent(type)?.step === 'boundary'
  if (isBoundary) settleStep(agent)
  return !!apply || isBoundary
}

function newAgent(id: string): Parameters<typeof draftAgent>[0] {
  return {
    id,
    parent: null,
    blocks: emptySequence(),
    runs: emptySequence(),
    steps: emptySequence(),
    reducer: { nextKey: 0, boundary: 0, late: [], answerFrom: 0, settledAnswerFrom: 0, open: [] },
  }
}
