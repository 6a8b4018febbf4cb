import type { Usage } from '../../../events/index.ts'
import { isJsonObject, parseJsonOr } from '../../../json/index.ts'
import type { LoopEvent } from '../loop-event.ts'
import type { Interrupt, OpenCall } from './interrupts.ts'

type Fields = Readonly<Record<string, unknown>>

/** The facts that are known when a graph starts. */
interface GraphStart {
  /** The ids of messages in its input, which its nodes may return again. */
  readonly known: readonly string[]
  /** The calls that wait for their results after a pause. */
  readonly decided: readonly (OpenCall & { readonly callId: string })[]
  readonly denied: readonly string[]
}

const none: readonly LoopEvent[] = []

/** Converts the chunks of a graph, of the modes `messages` and `updates` with subgraphs, to events of a loop. */
export class GraphReader {
  /** The calls without a result, by their ids. */
  readonly open: Map<string, OpenCall>
  /** The interrupts for which the graph waits. */
  readonly interrupts: Interrupt[] = []
  readonly #denied: ReadonlySet<string>
  /** The ids of messages that are complete: graphs repeat those of their subgraphs. */
  readonly #complete: Set<unknown>
  /** The ids of messages whose text came in pieces. */
  readonly #streamed = new Set<unknown>()
  /** The ids of calls that are being written, by the message and their index in it. */
  readonly #written = new Map<string, { readonly callId: string; readonly name: string }>()

  constructor({ known, decided, denied }: GraphStart) {
    this.#complete = new Set<unknown>(known)
    this.open = new Map(decided.map(({ callId, ...call }) => [callId, call]))
    this.#denied = new Set(denied)
  }

  /** Converts a chunk; those of other modes are skipped. */
  read(chunk: unknown): readonly LoopEvent[] {
    if (!Array.isArray(chunk)) return none
    const [mode, content] = (chunk as readonly unknown[]).slice(-2)
    if (mode === 'messages' && Array.isArray(content)) return this.#readPiece(content[0])
    if (mode === 'updates' && isFields(content)) return this.#readUpdates(content)
    return none
  }

  #readPiece(message: unknown): readonly LoopEvent[] {
    if (!isFields(message) || typeOf(message) !== 'ai') return none
    const { id, content, tool_call_chunks: chunks } = message
    // A message that comes whole is read from the update of its node.
    if (!Array.isArray(chunks) || this.#complete.has(id)) return none
    this.#streamed.add(id)
    return [
      ...proseIn(content),
      ...chunks.filter(isFields).flatMap((one) => this.#readCallPiece(String(id), one)),
    ]
  }

  #readCallPiece(message: string, { index, id, name, args }: Fields): readonly LoopEvent[] {
    const key = `${message} ${String(index)}`
    if (typeof id === 'string' && typeof name === 'string' && !this.#written.has(key))
      this.#written.set(key, { callId: id, name })
    const call = this.#written.get(key)
    if (call === undefined) return none
    return [{ type: 'tool_input', ...call, text: typeof args === 'string' ? args : '' }]
  }

  #readUpdates(updates: Fields): readonly LoopEvent[] {
    return Object.entries(updates).flatMap(([node, update]) => {
      if (node !== '__interrupt__') return messagesIn(update).flatMap((one) => this.#readWhole(one))
      this.#addInterrupts(update)
      return none
    })
  }

  #addInterrupts(update: unknown): void {
    for (const { id, value } of Array.isArray(update) ? update.filter(isFields) : []) {
      const name = String(id)
      // Reported by the subgraph and by its parents.
      if (this.interrupts.some((one) => one.id === name)) continue
      this.interrupts.push({ id: name, value: parseJsonOr(JSON.stringify(value ?? null), null) })
    }
  }

  #readWhole(message: Fields): readonly LoopEvent[] {
    const type = typeOf(message)
    if (type === 'tool') return this.#readResult(message)
    const key = message['id'] ?? message
    if (type !== 'ai' || this.#complete.has(key)) return none
    this.#complete.add(key)
    const calls = Array.isArray(message['tool_calls']) ? message['tool_calls'].filter(isFields) : []
    return [
      ...(this.#streamed.has(message['id']) ? none : proseIn(message['content'])),
      ...calls.map((call) => this.#readCall(call)),
      { type: 'step_end', stopReason: toStopReason(message), usage: toUsage(message) },
    ]
  }

  #readCall({ id, name, args }: Fields): LoopEvent {
    const callId = String(id)
    const call = { name: String(name), input: parseJsonOr(JSON.stringify(args ?? {}), {}) }
    this.open.set(callId, call)
    return { type: 'tool_call', callId, ...call }
  }

  #readResult({ tool_call_id: id, content, status }: Fields): readonly LoopEvent[] {
    const callId = String(id)
    if (!this.open.delete(callId)) return none
    const isError = status === 'error' || this.#denied.has(callId)
    const text = textIn(content)
    return [{ type: 'tool_result', callId, text, ...(isError && { isError }) }]
  }
}

const typeOf = ({ type }: Fields): unknown => type

/** Lists the messages in the update of a node: in any channel, alone or in a list. */
function messagesIn(update: unknown): readonly Fields[] {
  if (Array.isArray(update)) return update.flatMap(messagesIn)
  if (!isFields(update)) return []
  if (isMessage(update)) return [update]
  const values: readonly unknown[] = Object.values(update).flat()
  return values.filter(isMessage)
}

function isMessage(value: unknown): value is Fields {
  return isFields(value) && ['ai', 'tool'].includes(String(typeOf(value))) && 'content' in value
}

function proseIn(content: unknown): readonly LoopEvent[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  const parts = Array.isArray(content) ? content.filter(isFields) : []
  return parts.flatMap(({ type, text, thinking, reasoning, signature }): readonly LoopEvent[] => {
    if (type === 'text' && typeof text === 'string') return [{ type, text }]
    const thought = thinking ?? reasoning ?? (type === 'thinking' ? '' : undefined)
    if (typeof thought !== 'string') return []
    const signed = typeof signature === 'string' ? { signature } : {}
    return [{ type: 'thinking', text: thought, ...signed }]
  })
}

function textIn(content: unknown): string {
  if (typeof content === 'string') return content
  const parts = Array.isArray(content) ? content.filter(isFields) : []
  const texts = parts.flatMap(({ type, text }) => (type === 'text' ? [String(text)] : []))
  return texts.length > 0 ? texts.join('\n') : (JSON.stringify(content) ?? '')
}

const stopReasons: Readonly<Record<string, string | undefined>> = {
  __proto__: null as never,
  stop: 'end_turn',
  STOP: 'end_turn',
  length: 'max_tokens',
  MAX_TOKENS: 'max_tokens',
  tool_calls: 'tool_use',
}

function toStopReason({ response_metadata: metadata, tool_calls: calls }: Fields): string {
  const facts = isFields(metadata) ? metadata : {}
  const given = facts['stop_reason'] ?? facts['finish_reason'] ?? facts['finishReason']
  if (typeof given === 'string') return stopReasons[given] ?? given
  return Array.isArray(calls) && calls.length > 0 ? 'tool_use' : 'end_turn'
}

/** Converts usage. The input tokens of LangChain include cache reads and writes; ours exclude them. */
function toUsage({ usage_metadata: usage }: Fields): Usage {
  const given = isFields(usage) ? usage : {}
  const details = isFields(given['input_token_details']) ? given['input_token_details'] : {}
  const read = countOf(details['cache_read'])
  const written = countOf(details['cache_creation'])
  return {
    input_tokens: Math.max(0, countOf(given['input_tokens']) - read - written),
    output_tokens: countOf(given['output_tokens']),
    ...(written > 0 && { cache_creation_input_tokens: written }),
    ...(read > 0 && { cache_read_input_tokens: read }),
  }
}

const countOf = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) ? value : 0

function isFields(value: unknown): value is Fields {
  return isJsonObject(value)
}
