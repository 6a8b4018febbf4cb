import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  toText,
} from '../../../json/index.ts'
import { fromTokenUsage } from '../../../protocols/ag-ui/index.ts'
import type { Usage } from '../../../events/index.ts'
import type { LoopAnswer, LoopEvent } from '../loop-event.ts'
import { toDecision } from '../to-decision.ts'
import { INTERRUPT } from './to-ag-ui-messages.ts'

/** A call that the server waits for, by the ids of both sides. */
interface Waiting {
  /** The id on the wire, which the store renames if it is taken. */
  readonly toolCallId: string
  readonly interruptId: string
}

type Reading = (run: AgUiRun, event: JsonObject) => readonly LoopEvent[]

const none: readonly LoopEvent[] = []
const idOf = (event: JsonObject): string => toText(event['toolCallId'])
const textOf = (value: JsonValue | undefined): string =>
  typeof value === 'string' ? value : value === undefined ? '' : toText(value)
const endBlock: Reading = () => [{ type: 'block_end' }]
const think: Reading = (_, { delta }) => [{ type: 'thinking', text: textOf(delta) }]

const readings: Readonly<Record<string, Reading | undefined>> = {
  __proto__: null as never,
  TEXT_MESSAGE_START: (run, { messageId, role }) => {
    if (role !== undefined && role !== 'assistant') run.echoes.add(messageId)
    return endBlock(run, {})
  },
  TEXT_MESSAGE_CONTENT: ({ echoes }, { messageId, delta }) =>
    echoes.has(messageId) ? none : [{ type: 'text', text: textOf(delta) }],
  TEXT_MESSAGE_END: endBlock,
  REASONING_MESSAGE_CONTENT: think,
  REASONING_MESSAGE_END: endBlock,
  // The names of versions before 1.0.
  THINKING_TEXT_MESSAGE_CONTENT: think,
  THINKING_TEXT_MESSAGE_END: endBlock,
  TOOL_CALL_START: ({ names }, event) => {
    const name = textOf(event['toolCallName'])
    names.set(idOf(event), name)
    return [{ type: 'tool_input', callId: idOf(event), name, text: '' }]
  },
  TOOL_CALL_ARGS: ({ names }, event) => {
    const name = names.get(idOf(event))
    return name === undefined
      ? none
      : [{ type: 'tool_input', callId: idOf(event), name, text: textOf(event['delta']) }]
  },
  TOOL_CALL_END: (run, event) => {
    const [callId, name] = [idOf(event), run.names.get(idOf(event))]
    if (name === undefined) return none
    run.names.delete(callId)
    run.open.set(callId, callId)
    // The pieces that were shown are the arguments.
    return [{ type: 'tool_call', callId, name, input: '{}' }]
  },
  TOOL_CALL_RESULT: ({ open }, event) => {
    const callId = open.get(idOf(event))
    open.delete(idOf(event))
    // Servers repeat results that a browser gave.
    if (callId === undefined) return none
    const { content, error } = event
    const isError = typeof error === 'string' && error !== ''
    return [{ type: 'tool_result', callId, text: textOf(content), ...(isError && { isError }) }]
  },
  RUN_FINISHED: readEnd,
  RUN_ERROR: (run, { message, code }) => {
    run.isOver = true
    const known = typeof code === 'string' ? { code } : {}
    return [{ type: 'error', message: textOf(message) || 'The AG-UI server failed.', ...known }]
  },
}

/** Reads the events of one request to an AG-UI server. */
export class AgUiRun {
  /** The ids of messages that are not the agent's. */
  readonly echoes = new Set<JsonValue | undefined>()
  /** The names of calls whose arguments are incomplete. */
  readonly names = new Map<string, string>()
  /** Calls without a result, by the server's ids. */
  readonly open: Map<string, string>
  /** The calls that the server waits for. */
  waiting: readonly Waiting[] = []
  /** Whether the run has ended or failed. */
  isOver = false

  constructor(answers: readonly LoopAnswer[]) {
    const decided = answers.filter(({ kind }) => kind !== 'result')
    this.open = new Map(decided.map(({ callId }) => [callId, callId]))
  }

  /** Converts an event; those of sub-agents and other types are skipped. */
  read(event: JsonObject): readonly LoopEvent[] {
    if (event['subagentRunId'] !== undefined) return none
    return readings[toText(event['type'])]?.(this, event) ?? none
  }
}

function readEnd(run: AgUiRun, { outcome, usage, metadata }: JsonObject): readonly LoopEvent[] {
  run.isOver = true
  const end = isJsonObject(outcome) ? outcome : {}
  const interrupts = isJsonArray(end['interrupts']) ? end['interrupts'].filter(isJsonObject) : []
  const entries = isJsonArray(usage) ? usage.filter(isJsonObject) : []
  const { stopReason } = isJsonObject(metadata) ? metadata : {}
  const approvals = interrupts.filter((one) => run.open.has(idOf(one)))
  const others = interrupts.filter((one) => !run.open.has(idOf(one)))
  const asked = new Set(approvals.map(idOf))
  const frontend = [...run.open.keys()].filter((id) => !asked.has(id))
  run.waiting = interrupts.map((one) => {
    const interruptId = toText(one['id'])
    return { toolCallId: asked.has(idOf(one)) ? idOf(one) : interruptId, interruptId }
  })
  const calls = [...frontend, ...others.map(({ id }) => toText(id))]
  const reason =
    end['type'] === 'cancelled'
      ? 'aborted'
      : typeof stopReason === 'string'
        ? stopReason
        : 'end_turn'
  return [
    ...others.map((one) => ({
      type: 'tool_call' as const,
      callId: toText(one['id']),
      name: INTERRUPT,
      input: one,
    })),
    { type: 'step_end', usage: fromTokenUsage(entries) as Usage },
    ...(asked.size > 0 ? [{ type: 'awaiting_approval' as const, calls: [...asked] }] : []),
    ...(calls.length > 0 ? [{ type: 'awaiting_frontend_tools' as const, calls }] : []),
    { type: 'end', stopReason: reason },
  ]
}

/** Creates the answers to interrupts for the next request. */
export function toResume(
  memory: readonly JsonValue[],
  answers: readonly LoopAnswer[],
): readonly JsonObject[] {
  const waiting = memory.filter(isJsonObject)
  return answers.flatMap((answer): JsonObject[] => {
    const { callId, kind, name, content } = answer
    if (kind === 'result' && name !== INTERRUPT) return []
    const found = waiting.findLast(({ toolCallId }) => toolCallId === callId)
    const interruptId = toText(found?.['interruptId'] ?? callId)
    const payload = kind === 'result' ? toText(content) : toDecision(answer)
    return [{ interruptId, status: 'resolved', payload }]
  })
}
