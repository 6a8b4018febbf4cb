import type { Usage } from '../../../events/index.ts'
import { isJsonObject, type JsonObject } from '../../../json/index.ts'
import type { LoopEvent } from '../loop-event.ts'
import { toFailure } from '../loop-failure.ts'

/** A part of a full stream of the AI SDK. */
export interface AiSdkPart {
  readonly type: string
}

type Part = Readonly<Record<string, unknown>>

/** Calls of a run that have no result yet. */
interface OpenCalls {
  /** The names of calls whose arguments are incomplete. */
  readonly names: Map<string, string>
  readonly open: Set<string>
  readonly approvals: Set<string>
}

type Reading = (part: Part, calls: OpenCalls) => readonly LoopEvent[]

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
const none: readonly LoopEvent[] = []
const endBlock: Reading = () => [{ type: 'block_end' }]

const readings: Readonly<Record<string, Reading | undefined>> = {
  __proto__: null as never,
  'text-delta': ({ text }) => [{ type: 'text', text: textOf(text) }],
  'text-end': endBlock,
  'reasoning-delta': readThinking,
  'reasoning-end': (part) => [...readThinking(part), { type: 'block_end' }],
  'tool-input-start': ({ id, toolName }, { names }) => {
    names.set(String(id), String(toolName))
    return [{ type: 'tool_input', callId: String(id), name: String(toolName), text: '' }]
  },
  'tool-input-delta': ({ id, delta }, { names }) => {
    const name = names.get(String(id))
    return name === undefined
      ? none
      : [{ type: 'tool_input', callId: String(id), name, text: textOf(delta) }]
  },
  'tool-call': ({ toolCallId, toolName, input }, { names, open }) => {
    const callId = String(toolCallId)
    names.delete(callId)
    open.add(callId)
    // The input of a call without valid JSON is its text.
    const inputText = typeof input === 'string' ? input : textOf(input ?? {})
    return [{ type: 'tool_call', callId, name: String(toolName), input: inputText }]
  },
  'tool-result': ({ toolCallId, output, preliminary }, calls) => {
    const callId = String(toolCallId)
    if (preliminary === true)
      return [{ type: 'tool_progress', callId, text: textOf(output).slice(0, 500) }]
    return settle(calls, { type: 'tool_result', callId, text: textOf(output) })
  },
  'tool-error': ({ toolCallId, error }, calls) => {
    const text = error instanceof Error ? error.message : textOf(error)
    return settle(calls, { type: 'tool_result', callId: String(toolCallId), text, isError: true })
  },
  'tool-output-denied': ({ toolCallId }, calls) => {
    const text = 'The user refused this call; it was not run.'
    return settle(calls, { type: 'tool_result', callId: String(toolCallId), text, isError: true })
  },
  'tool-approval-request': ({ toolCall, isAutomatic }, { approvals }) => {
    if (isAutomatic !== true && isRecord(toolCall)) approvals.add(String(toolCall['toolCallId']))
    return none
  },
  'finish-step': ({ finishReason, rawFinishReason, usage }) => [
    {
      type: 'step_end',
      stopReason: toStopReason(finishReason, rawFinishReason),
      usage: toUsage(usage),
    },
  ],
  finish: ({ finishReason, rawFinishReason }, { open, approvals }) => {
    const waiting = [...open].filter((id) => approvals.has(id))
    const frontend = [...open].filter((id) => !approvals.has(id))
    // The loop stopped although the model wanted to see the results of its calls.
    const stopReason =
      finishReason === 'tool-calls' ? 'max_steps' : toStopReason(finishReason, rawFinishReason)
    return [
      ...(waiting.length > 0 ? [{ type: 'awaiting_approval' as const, calls: waiting }] : []),
      ...(frontend.length > 0
        ? [{ type: 'awaiting_frontend_tools' as const, calls: frontend }]
        : []),
      { type: 'end', stopReason },
    ]
  },
  abort: () => [{ type: 'end', stopReason: 'aborted' }],
  error: ({ error }) => [toFailure(error)],
}

/** Creates a reader that converts parts of a full stream to events of a loop. Other parts are skipped. */
export function createPartReader(): (part: AiSdkPart) => readonly LoopEvent[] {
  const calls = { names: new Map(), open: new Set<string>(), approvals: new Set<string>() }
  return (part) => readings[part.type]?.({ ...part }, calls) ?? none
}

function settle({ open }: OpenCalls, event: LoopEvent & { readonly callId: string }) {
  open.delete(event.callId)
  return [event]
}

function readThinking({ text = '', providerMetadata }: Part): readonly LoopEvent[] {
  const { anthropic } = isRecord(providerMetadata) ? providerMetadata : {}
  const { signature } = isRecord(anthropic) ? anthropic : {}
  return [
    {
      type: 'thinking',
      text: textOf(text),
      ...(typeof signature === 'string' && signature !== '' && { signature }),
    },
  ]
}

const stopReasons: Readonly<Record<string, string | undefined>> = {
  __proto__: null as never,
  stop: 'end_turn',
  length: 'max_tokens',
  'content-filter': 'content_filter',
  'tool-calls': 'tool_use',
}

function toStopReason(reason: unknown, raw: unknown): string {
  const known = stopReasons[String(reason)]
  return known ?? (typeof raw === 'string' ? raw : String(reason ?? 'unknown'))
}

/** Converts usage. The input tokens of the AI SDK include cache reads and writes; ours exclude them. */
function toUsage(value: unknown): Usage {
  const usage = isRecord(value) ? value : {}
  const details = isRecord(usage['inputTokenDetails']) ? usage['inputTokenDetails'] : {}
  const read = countOf(details['cacheReadTokens'])
  const written = countOf(details['cacheWriteTokens'])
  const counts: JsonObject = {
    ...(written > 0 && { cache_creation_input_tokens: written }),
    ...(read > 0 && { cache_read_input_tokens: read }),
  }
  return {
    input_tokens: Math.max(0, countOf(usage['inputTokens']) - read - written),
    output_tokens: countOf(usage['outputTokens']),
    ...counts,
  }
}

function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}

function isRecord(value: unknown): value is Part {
  return isJsonObject(value)
}
