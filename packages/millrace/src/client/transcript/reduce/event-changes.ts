import {
  addMembers,
  objectsIn,
  type OfType,
  type PauseEvent,
  type StatusEvent,
  type StreamEvent,
} from '../../../events/index.ts'
import { isJsonObject, type JsonObject } from '../../../json/index.ts'
import { interruptBlocks } from './agent-blocks.ts'
import type { PieceBlock } from '../block.ts'
import { changePart } from './take-piece.ts'
import {
  type AgentDraft,
  draftReducerState,
  type TranscriptDraft,
  resume,
  showStatus,
} from './draft.ts'
import type { TranscriptError } from '../transcript.ts'

/** Applies an event to the transcript and its agent. */
export type ChangeByEvent<Event = StreamEvent> = (
  next: TranscriptDraft,
  agent: AgentDraft,
  event: Event,
) => void

type EventChanges = {
  readonly [Type in StreamEvent['type']]?: ChangeByEvent<OfType<StreamEvent, Type>>
}

/** The changes by events that are no parts of blocks. Events of other types are not shown. */
export const eventChanges: EventChanges = {
  run_start(next, agent, run) {
    const { payload } = run
    interruptBlocks(agent)
    const { length: firstBlock } = agent.blocks
    agent.meta = payload
    agent.name = run.name ?? agent.name
    agent.parent = run.parentAgent ?? agent.parent
    agent.parentToolUseId = run.parentToolUseId ?? agent.parentToolUseId
    agent.summary = undefined
    agent.runs = agent.runs.set(agent.runs.length, {
      runId: run.runId,
      prompt: run.prompt ?? '',
      messageId: run.messageId,
      model: run.model,
      firstBlock,
      end: undefined,
    })
    draftReducerState(agent).answerFrom = firstBlock
    if (isRoot(next, agent)) {
      next.pending = []
      const forkedFrom = payload['forked_from'] as JsonObject | null | undefined
      dequeue(next, run.messageId, forkedFrom?.['id'])
      next.status = 'streaming'
    }
    resume(next, agent.id)
  },

  step_end(_next, agent, { payload: info }) {
    const { length: afterBlock } = agent.blocks
    agent.steps = agent.steps.set(agent.steps.length, { afterBlock, info })
  },

  rollback(next, agent) {
    const { boundary, late, settledAnswerFrom: answerFrom } = agent.reducer
    agent.blocks = agent.blocks.truncate(boundary)
    for (const position of late) {
      const result = agent.blocks.at(position)?.result
      if (result) agent.blocks = agent.blocks.set(position, result)
    }
    draftReducerState(agent).answerFrom = answerFrom
    resume(next, agent.id)
  },

  awaiting_frontend_tools: awaitCalls,

  awaiting_approval: awaitCalls,

  files(next, _agent, { payload }) {
    const files = [...next.files, ...objectsIn(payload['files'])]
    // A file that is reported again replaces the earlier entry.
    next.files = [...new Map(files.map((file) => [file['file_id'] || file, file])).values()]
  },

  error(next, agent, { payload: error }) {
    interruptBlocks(agent)
    const key = agent.reducer.nextKey
    agent.blocks = agent.blocks.set(agent.blocks.length, {
      type: 'error',
      key,
      id: '',
      done: true,
      interrupted: false,
      error,
    })
    draftReducerState(agent).nextKey++
    resume(next, agent.id)
    next.error = toError(error)
    next.status = 'error'
  },

  run_end(next, agent, { payload: end, stopReason }) {
    interruptBlocks(agent)
    agent.summary = { ...agent.summary, ...end }
    const run = agent.runs.at(-1)
    if (run) agent.runs = agent.runs.set(agent.runs.length - 1, { ...run, end })
    if (!isRoot(next, agent)) return
    if (stopReason === 'aborted') {
      next.pending = []
      next.error = undefined
      next.status = 'aborted'
    }
    showStatus(next, 'complete')
  },

  run_summary(_next, agent, { payload }) {
    agent.summary = { ...agent.summary, ...payload }
  },

  /** Updates the queue. A prompt that is queued again keeps its place. [CMD-5] */
  queued_prompt(next, _agent, { messageId, state, text }) {
    const { queue, lastId: id, forkedAfter } = next
    if (state !== 'queued') dequeue(next, messageId)
    else if (!queue.some((prompt) => prompt.messageId === messageId) && !(id <= forkedAfter!))
      next.queue = [...queue, { messageId, text, id }]
  },

  citation: (next, agent, event) =>
    changePart(next, agent, event, ({ citations }) => ({
      citations: [...citations, { citedText: event.citedText, fields: event.fields }],
    })),

  tool_result_image: (next, agent, event) =>
    changePart(next, agent, event, ({ images }) => ({
      images: [...images, { src: event.src, mediaType: event.mediaType }],
    })),

  tool_status: (next, agent, event) =>
    changePart(next, agent, event, ({ decision }) => toStage(event, decision)),
}

/** Returns the stage of a call, with the decision that it records. [APR-3] */
function toStage(
  { stage, detail, fields }: StatusEvent,
  decision: PieceBlock['decision'],
): Partial<PieceBlock> {
  const { by, at, input_hash: inputHash, edited } = fields
  const status = { stage, detail }
  if (typeof at !== 'string') return { status, decision }
  const who = { by: toText(by), at, inputHash: toText(inputHash), edited: edited === true }
  return { status, decision: { ...status, ...who } }
}

/**
 * Removes a prompt from the queue: its run has started, or it was withdrawn. A branch also removes the prompts that were queued up to the
 * last frame that it shares with its parent: none of them starts there.
 */
function dequeue(next: TranscriptDraft, messageId: unknown, lastShared?: unknown): void {
  const left = next.queue.filter(
    (prompt) => prompt.messageId !== messageId && !(prompt.id <= Number(lastShared)),
  )
  if (left.length < next.queue.length) next.queue = left
}

function isRoot(next: TranscriptDraft, agent: AgentDraft): boolean {
  return (next.agents.at(0) ?? agent).id === agent.id
}

const approvalMembers = {
  inputHash: 'input_hash',
  askedAt: 'asked_at',
  expiresAt: 'expires_at',
}

function awaitCalls(next: TranscriptDraft, agent: AgentDraft, { type, calls }: PauseEvent): void {
  const approval = type === 'awaiting_approval'
  next.error = undefined
  next.pending = [
    ...next.pending.filter((tool) => tool.agent !== agent.id || tool.approval !== approval),
    ...calls.map(({ callId, name, input, request }) => {
      const tool = { agent: agent.id, callId, name, input, approval }
      if (approval) addMembers(tool, approvalMembers, request)
      return tool
    }),
  ]
  showStatus(next, 'streaming')
}

function toError(payload: JsonObject): TranscriptError {
  const { error } = payload
  const details = isJsonObject(error) ? error : payload
  const type = toText(details['type']) ?? 'error'
  return {
    type,
    message: toText(details['message']) ?? 'The run failed.',
    code: toText(details['code']) ?? type,
    retriable: details['retriable'] === true,
  }
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
