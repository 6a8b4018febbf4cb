import { type StreamEvent, traitsOfEvent } from '../../events/index.ts'
import {
  draftTranscript,
  draftAgent,
  type TranscriptDraft,
  type AgentDraft,
  settleStep,
  showStatus,
} from './reduce/draft.ts'
import type { Transcript } from './transcript.ts'
import { emptySequence } from './sequence.ts'
import { interruptBlocks } from './reduce/agent-blocks.ts'
import { type ChangeByEvent, eventChanges } from './reduce/event-changes.ts'
import { takePiece } from './reduce/take-piece.ts'

/**
 * Returns a transcript with one more event of a decoder; unchanged parts are shared, and the cost does not depend on its length. `event`
 * is undefined for a frame that completes none. With the `id` of the frame the transcript has its position in the log.
 */
export function reduceTranscript(
  transcript: Transcript,
  event: StreamEvent | undefined,
  id?: number,
): Transcript {
  const { lastId, status } = transcript
  // A frame that was read before completes no event; any other shows that the stream has started.
  if (!event && (id === undefined ? status !== 'idle' : !(id > lastId))) return transcript
  const next = draftTranscript(transcript)
  next.gapAfter = undefined
  next.lastId = id ?? lastId
  if (next.status === 'idle') next.status = 'streaming'
  const isShown = event && takeEvent(next, event)
  return isShown || !event || id !== undefined ? next : transcript
}

/** Creates an empty transcript; with `lastId`, of a log whose frames up to this id are trimmed. */
export function createTranscript(lastId = 0): Transcript {
  return draftTranscript({
    status: 'idle',
    lastId,
    agents: emptySequence(),
    pending: [],
    queue: [],
    files: [],
  })
}

/** Applies `[DONE]`, the end of a stream; it has no effect after a gap. [SSE-5] [LOG-3] */
export function endTranscript(transcript: Transcript): Transcript {
  if (transcript.gapAfter !== undefined) return transcript
  const next = draftTranscript(transcript)
  interruptAll(next)
  if (next.status !== 'idle') showStatus(next, 'complete')
  return next
}

function interruptAll(next: TranscriptDraft): void {
  let position = 0
  for (const agent of next.agents) {
    if (agent.reducer.open.length > 0) {
      const draft = draftAgent(agent)
      interruptBlocks(draft)
      next.agents = next.agents.set(position, draft)
    }
    position++
  }
}

/**
 * Returns the transcript of a body that ended without `[DONE]`: open blocks are interrupted, and the status is an error unless the run
 * had ended or paused. A resumed stream continues from the given transcript, not from this one. [SSE-5]
 */
export function cutTranscript(transcript: Transcript): Transcript {
  const { status } = transcript
  const next = draftTranscript(transcript)
  interruptAll(next)
  if (status === 'streaming' || status === 'idle') {
    fail(next, 'The stream stopped before its end.', 'stream_truncated', true)
  }
  return next
}

/** Adds an error that is not a frame: older servers send a bare object and stop. */
export function foreignError(transcript: Transcript, message: string): Transcript {
  const next = draftTranscript(transcript)
  interruptAll(next)
  fail(next, message, 'internal', false)
  return next
}

function fail(next: TranscriptDraft, message: string, code: string, retriable: boolean): void {
  next.error = { type: 'error', message, code, retriable }
  next.status = 'error'
}

/** Applies an event to its agent; false if the transcript does not show events of this type. [ENV-9] */
function takeEvent(next: TranscriptDraft, event: StreamEvent): boolean {
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
