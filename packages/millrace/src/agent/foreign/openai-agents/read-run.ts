import type { Usage } from '../../../events/index.ts'
import { isJsonObject, type JsonValue } from '../../../json/index.ts'
import type { LoopEvent } from '../loop-event.ts'

/** An event of a streamed run of the OpenAI Agents SDK. */
export interface OpenAiRunEvent {
  readonly type: string
}

/** A call that needs a decision before its tool runs. */
export interface OpenAiInterruption {
  readonly rawItem: object
}

type Fields = Readonly<Record<string, unknown>>

const none: readonly LoopEvent[] = []
const reasoningDeltas = new Set([
  'response.reasoning_summary_text.delta',
  'response.reasoning_text.delta',
])

/** Converts the events of one start of a run to those of a loop. */
export class RunReader {
  /** The ids of calls without a result. */
  readonly #open: Set<string>
  readonly #denied: ReadonlySet<string>
  /** The calls that are being written, by the ids of their items or their indexes. */
  readonly #written = new Map<unknown, { readonly callId: string; readonly name: string }>()
  #hasText = false
  #hasThinking = false
  #stopReason: string | undefined

  constructor(decided: readonly string[], denied: readonly string[]) {
    this.#open = new Set(decided)
    this.#denied = new Set(denied)
  }

  /** Converts an event; other types are skipped. */
  read(event: OpenAiRunEvent): readonly LoopEvent[] {
    const { type, data, item }: Fields = { ...event }
    if (type === 'raw_model_stream_event' && isFields(data)) return this.#readModel(data)
    if (type === 'run_item_stream_event' && isFields(item)) return this.#readItem(item)
    return none
  }

  /** Returns the events for calls that wait: `names` are those of browser tools. */
  pause(
    interruptions: readonly OpenAiInterruption[],
    names: readonly string[],
  ): readonly LoopEvent[] {
    const calls = interruptions.map(({ rawItem }) => toCall(rawItem))
    // Calls of an agent that is used as a tool are only known here.
    const unknown = calls.filter(({ callId }) => !this.#open.has(callId))
    const isFrontend = ({ name }: { readonly name: string }) => names.includes(name)
    const frontend = calls.filter(isFrontend).map(({ callId }) => callId)
    const approvals = calls.filter((call) => !isFrontend(call)).map(({ callId }) => callId)
    return [
      ...unknown.map((call) => ({ type: 'tool_call' as const, ...call })),
      ...(approvals.length > 0 ? [{ type: 'awaiting_approval' as const, calls: approvals }] : []),
      ...(frontend.length > 0
        ? [{ type: 'awaiting_frontend_tools' as const, calls: frontend }]
        : []),
    ]
  }

  #readModel(data: Fields): readonly LoopEvent[] {
    const { type, delta, response, event } = data
    if (type === 'output_text_delta') {
      this.#hasText = true
      return [{ type: 'text', text: textOf(delta) }]
    }
    if (type === 'model' && isFields(event)) return this.#readRaw(event)
    if (type === 'response_done' && isFields(response)) return this.#readResponse(response)
    return none
  }

  /** Reads an event of the provider: of the Responses API, or a chunk of chat completions. */
  #readRaw(event: Fields): readonly LoopEvent[] {
    const { type, delta, item, item_id: itemId, choices, response } = event
    if (reasoningDeltas.has(String(type))) return this.#think(delta)
    if (type === 'response.output_item.added' && isFields(item) && item['type'] === 'function_call')
      return this.#write(item['id'], { id: item['call_id'], name: item['name'] })
    if (type === 'response.function_call_arguments.delta') return this.#grow(itemId, delta)
    if (type === 'response.incomplete' && isFields(response)) {
      const { incomplete_details: details } = response
      const reason = isFields(details) ? details['reason'] : undefined
      this.#stopReason = reason === 'max_output_tokens' ? 'max_tokens' : 'content_filter'
    }
    const [choice] = Array.isArray(choices) ? (choices as readonly unknown[]) : []
    return isFields(choice) ? this.#readChoice(choice) : none
  }

  #readChoice({ delta, finish_reason: reason }: Fields): readonly LoopEvent[] {
    if (reason === 'length') this.#stopReason = 'max_tokens'
    if (reason === 'content_filter') this.#stopReason = 'content_filter'
    if (!isFields(delta)) return none
    const thought = delta['reasoning_content'] ?? delta['reasoning']
    const calls = Array.isArray(delta['tool_calls']) ? delta['tool_calls'].filter(isFields) : []
    return [
      ...(typeof thought === 'string' ? this.#think(thought) : none),
      ...calls.flatMap(({ index, id, function: named }) => {
        const { name, arguments: text } = isFields(named) ? named : {}
        const begun = id === undefined ? none : this.#write(index, { id, name })
        return [...begun, ...this.#grow(index, text)]
      }),
    ]
  }

  #think(delta: unknown): readonly LoopEvent[] {
    this.#hasThinking = true
    return [{ type: 'thinking', text: textOf(delta) }]
  }

  #write(key: unknown, { id, name }: Fields): readonly LoopEvent[] {
    if (typeof id !== 'string' || typeof name !== 'string' || this.#written.has(key)) return none
    const call = { callId: id, name }
    this.#written.set(key, call)
    return [{ type: 'tool_input', ...call, text: '' }]
  }

  #grow(key: unknown, delta: unknown): readonly LoopEvent[] {
    const call = this.#written.get(key)
    if (call === undefined || typeof delta !== 'string') return none
    return [{ type: 'tool_input', ...call, text: delta }]
  }

  /** Reads a complete response of the model. Models without streaming return only this. */
  #readResponse({ output, usage }: Fields): readonly LoopEvent[] {
    const items = Array.isArray(output) ? output.filter(isFields) : []
    const events = items.flatMap((item): readonly LoopEvent[] => {
      const { type } = item
      if (type === 'reasoning') return this.#hasThinking ? none : thinkingIn(item)
      if (type === 'message') return this.#hasText ? refusalIn(item) : textIn(item)
      if (typeof item['callId'] !== 'string') return none
      const call = toCall(item)
      this.#open.add(call.callId)
      return [{ type: 'tool_call', ...call }]
    })
    const reason = this.#stopReason
    this.#written.clear()
    this.#hasText = false
    this.#hasThinking = false
    this.#stopReason = undefined
    return [
      ...events,
      {
        type: 'step_end',
        usage: toUsage(usage),
        ...(reason !== undefined && { stopReason: reason }),
      },
    ]
  }

  /** Reads the result of a call, of a hand-off too. Results of the browser are known. */
  #readItem({ rawItem, output }: Fields): readonly LoopEvent[] {
    const { type, callId, output: raw } = isFields(rawItem) ? rawItem : {}
    if (typeof callId !== 'string' || !isResult(type) || !this.#open.delete(callId)) return none
    const isError = this.#denied.has(callId)
    const text = outputText(output ?? raw)
    return [{ type: 'tool_result', callId, text, ...(isError && { isError }) }]
  }
}

const isResult = (type: unknown): boolean =>
  typeof type === 'string' && (type.endsWith('_result') || type.endsWith('_output'))

/** Reads a call of any kind: those of a shell or a computer have an action in place of arguments. */
function toCall(item: object): { callId: string; name: string; input: JsonValue } {
  const { callId, id, name, type, arguments: text, action, operation }: Fields = { ...item }
  const input = typeof text === 'string' ? text : JSON.stringify(action ?? operation ?? {})
  return {
    callId: typeof callId === 'string' ? callId : String(id),
    name: typeof name === 'string' ? name : String(type),
    input,
  }
}

function textIn({ content }: Fields): readonly LoopEvent[] {
  return partsOf(content).flatMap(({ type, text, refusal }): readonly LoopEvent[] => {
    if (type === 'output_text') return [{ type: 'text', text: textOf(text) }]
    return type === 'refusal' ? [{ type: 'text', text: textOf(refusal) }] : []
  })
}

function refusalIn(item: Fields): readonly LoopEvent[] {
  const content = partsOf(item['content']).filter(({ type }) => type === 'refusal')
  return textIn({ content })
}

function thinkingIn({ content, rawContent }: Fields): readonly LoopEvent[] {
  const parts = partsOf(content)
  const shown = parts.length > 0 ? parts : partsOf(rawContent)
  return shown.map(({ text }) => ({ type: 'thinking', text: textOf(text) }))
}

function outputText(output: unknown): string {
  if (typeof output === 'string') return output
  const parts = Array.isArray(output) ? output.filter(isFields) : isFields(output) ? [output] : []
  const texts = parts.flatMap(({ type, text }) =>
    (type === 'text' || type === 'input_text') && typeof text === 'string' ? [text] : [],
  )
  return texts.length > 0 ? texts.join('\n') : textOf(output)
}

/** Converts usage. The input tokens of the SDK include cache reads; ours exclude them. */
function toUsage(value: unknown): Usage {
  const { inputTokens, outputTokens, inputTokensDetails } = isFields(value) ? value : {}
  const details = Array.isArray(inputTokensDetails) ? inputTokensDetails : [inputTokensDetails]
  const read = details
    .filter(isFields)
    .reduce((sum, { cached_tokens: count }) => sum + countOf(count), 0)
  return {
    input_tokens: Math.max(0, countOf(inputTokens) - read),
    output_tokens: countOf(outputTokens),
    ...(read > 0 && { cache_read_input_tokens: read }),
  }
}

const countOf = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) ? value : 0

const partsOf = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.filter(isFields) : []

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '')

function isFields(value: unknown): value is Fields {
  return isJsonObject(value)
}
