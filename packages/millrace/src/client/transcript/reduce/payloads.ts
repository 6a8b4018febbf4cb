import { isJsonObject, type JsonObject } from '../../../json/index.ts'
import { interruptBlocks } from './agent-blocks.ts'
import { note } from './agent-book.ts'
import type { AgentDraft, TranscriptDraft } from './draft.ts'
import { objectsIn } from './payload.ts'
import { goOn, showStatus } from './run-status.ts'
import { stringOr } from './string-or.ts'
import type { PendingTool, TranscriptError } from '../transcript.ts'

/** Takes in what a block of JSON says, once it is whole. */
export type TakePayload = (next: TranscriptDraft, agent: AgentDraft, payload: JsonObject) => void

/** All types whose content is collected until it is whole. */
export const payloads: Readonly<Record<string, TakePayload | undefined>> = {
  __proto__: null as never,
  meta_init(next, agent, meta) {
    interruptBlocks(agent)
    const { length: firstBlock } = agent.blocks
    agent.meta = meta
    agent.name = stringOr(meta['name'], agent.name)
    agent.parent = stringOr(meta['parent_agent_uuid'], agent.parent)
    agent.parentToolUseId = stringOr(meta['parent_tool_use_id'], agent.parentToolUseId)
    agent.summary = undefined
    agent.runs = agent.runs.set(agent.runs.length, {
      runId: stringOr(meta['run_id'], undefined),
      prompt: stringOr(meta['user_query'], ''),
      messageId: stringOr(meta['message_id'], undefined),
      model: stringOr(meta['model'], undefined),
      firstBlock,
      end: undefined,
    })
    note(agent, { answerFrom: firstBlock, compacting: false, held: [] })
    if (isRoot(next, agent)) {
      next.pending = []
      const forkedFrom = meta['forked_from'] as JsonObject | null | undefined
      dequeue(next, meta['message_id'], forkedFrom?.['id'])
      next.status = 'streaming'
    }
    goOn(next, agent.id)
  },

  meta_step(_next, agent, info) {
    const { length: afterBlock } = agent.blocks
    agent.steps = agent.steps.set(agent.steps.length, { afterBlock, info })
  },

  rollback(next, agent) {
    const { boundary, late, settledAnswerFrom: answerFrom } = agent.book
    agent.blocks = agent.blocks.truncate(boundary)
    for (const position of late) {
      const result = agent.blocks.at(position)?.result
      if (result) agent.blocks = agent.blocks.set(position, result)
    }
    note(agent, { answerFrom, held: [] })
    goOn(next, agent.id)
  },

  awaiting_frontend_tools: (next, agent, { tools }) => awaitTools(next, agent, tools, false),

  awaiting_approval: (next, agent, { tools }) => awaitTools(next, agent, tools, true),

  meta_files(next, _agent, payload) {
    const files = [...next.files, ...objectsIn(payload['files'])]
    // A file that is told again takes the place of the one before.
    next.files = [...new Map(files.map((file) => [file['file_id'] || file, file])).values()]
  },

  error(next, agent, error) {
    interruptBlocks(agent)
    const key = agent.book.nextKey
    agent.blocks = agent.blocks.set(agent.blocks.length, {
      type: 'error',
      key,
      id: '',
      done: true,
      interrupted: false,
      error,
    })
    note(agent, { nextKey: key + 1 })
    goOn(next, agent.id)
    next.error = toError(error)
    next.status = 'error'
  },

  meta_end: endRun,

  aborted: (next, agent) => endRun(next, agent, { stop_reason: 'aborted' }),

  meta_final(_next, agent, summary) {
    agent.summary = { ...agent.summary, ...summary }
  },

  compaction_start: (_next, agent) => note(agent, { compacting: true }),

  compaction_end: (_next, agent) => note(agent, { compacting: false }),
}

/**
 * Takes a prompt out of the queue: its run has begun, or it has left without one. In a branch the prompts leave that were queued up to
 * the last message that it shares with its parent: none of them begins there.
 */
export function dequeue(next: TranscriptDraft, messageId: unknown, lastShared?: unknown): void {
  const left = next.queue.filter(
    (prompt) => prompt.messageId !== messageId && !(prompt.id <= Number(lastShared)),
  )
  if (left.length < next.queue.length) next.queue = left
}

function isRoot(next: TranscriptDraft, agent: AgentDraft): boolean {
  return (next.agents.at(0) ?? agent).id === agent.id
}

function endRun(next: TranscriptDraft, agent: AgentDraft, end: JsonObject): void {
  interruptBlocks(agent)
  agent.summary = { ...agent.summary, ...end }
  const run = agent.runs.at(-1)
  if (run) agent.runs = agent.runs.set(agent.runs.length - 1, { ...run, end })
  if (!isRoot(next, agent)) return
  if (end['stop_reason'] === 'aborted') {
    next.pending = []
    next.error = undefined
    next.status = 'aborted'
  }
  showStatus(next, 'complete')
}

function awaitTools(
  next: TranscriptDraft,
  agent: AgentDraft,
  tools: JsonObject[string] | undefined,
  approval: boolean,
): void {
  next.error = undefined
  next.pending = [
    ...next.pending.filter((tool) => tool.agent !== agent.id || tool.approval !== approval),
    ...objectsIn(tools).map((tool) => ({
      agent: agent.id,
      toolUseId: stringOr(tool['tool_use_id'], ''),
      name: stringOr(tool['name'], ''),
      input: tool['input'],
      approval,
      ...(approval && requestOf(tool)),
    })),
  ]
  showStatus(next, 'streaming')
}

function requestOf({ input_hash, asked_at, expires_at }: JsonObject) {
  const fields = { inputHash: input_hash, askedAt: asked_at, expiresAt: expires_at }
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => typeof value === 'string'),
  ) as Pick<PendingTool, keyof typeof fields>
}

function toError(payload: JsonObject): TranscriptError {
  const { error } = payload
  const told = isJsonObject(error) ? error : payload
  const type = stringOr(told['type'], 'error')
  return {
    type,
    message: stringOr(told['message'], 'The run failed.'),
    code: stringOr(told['code'], type),
    retriable: told['retriable'] === true,
  }
}
