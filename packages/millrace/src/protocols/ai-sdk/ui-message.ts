import { isJsonObject, type JsonObject, type JsonValue, toText } from '../../json/index.ts'
import { settledStages } from '../port/index.ts'
import type { UiChunk } from './ui-output.ts'

/** Output of an answered call until the run continues with its result. */
export const ANSWERED_OUTPUT: JsonObject = { status: 'answered' }

/** A part of a message. Chunks change it in place. */
type Part = { -readonly [Field in keyof JsonObject]: JsonValue | undefined }

/** Applies a chunk to a message. */
type Fold = (message: UiMessage, chunk: UiChunk) => void

/** A message that is built from our own chunks, as the AI SDK builds it. */
export class UiMessage {
  readonly role = 'assistant'
  id: string
  metadata: JsonObject | undefined
  readonly parts: Part[] = []
  readonly #growing = new Map<string, Part>()
  readonly #calls = new Map<string, { readonly part: Part; readonly step: number }>()
  readonly #data = new Map<string, Part>()
  /** Stages of calls that are no longer pending, by call. */
  readonly #settled = new Map<string, JsonObject>()
  #steps = 0

  constructor(id: string) {
    this.id = id
  }

  take(chunk: UiChunk): void {
    const { type } = chunk
    const fold = folds[type] ?? (type.startsWith('data-') ? foldData : undefined)
    fold?.(this, chunk)
  }

  /** Encodes the message as JSON, without fields for its construction. Answered calls are not pending, even while others are. */
  encode(): string {
    const { id, role, metadata } = this
    const parts = this.parts.map((part) => toSettled(part, this.#settled))
    return JSON.stringify({ id, role, metadata, parts })
  }

  /** Records a stage after which a call is not pending. [CALL-3] */
  settle(data: JsonValue | undefined): void {
    if (!isJsonObject(data) || !settledStages.has(toText(data['stage']))) return
    this.#settled.set(toText(data['toolCallId']), data)
  }

  merge(metadata: JsonValue | undefined): void {
    if (isJsonObject(metadata)) this.metadata = merged(this.metadata ?? {}, metadata)
  }

  /** Adds data. Data with a known id replaces the earlier data. */
  place(chunk: UiChunk): void {
    const { type, id, data } = chunk
    const key = `${type}\n${toText(id)}`
    const known = id === undefined ? undefined : this.#data.get(key)
    if (known !== undefined) known['data'] = data
    else this.#data.set(key, this.push({ ...chunk }))
  }

  push(part: Part): Part {
    this.parts.push(part)
    if (part['type'] === 'step-start') this.#steps++
    return part
  }

  grow(id: JsonValue | undefined, part?: Part): Part | undefined {
    if (part !== undefined) this.#growing.set(toText(id), this.push(part))
    return this.#growing.get(toText(id))
  }

  call(id: JsonValue | undefined): Part | undefined {
    return this.#calls.get(toText(id))?.part
  }

  /** Returns the part of a call. A call of an earlier step with the same id has another part. */
  openCall({ toolCallId, toolName }: UiChunk): Part {
    const known = this.#calls.get(toText(toolCallId))
    if (known?.step === this.#steps) return known.part
    const part = this.push({ type: 'dynamic-tool', toolName, toolCallId })
    this.#calls.set(toText(toolCallId), { part, step: this.#steps })
    return part
  }
}

const foldProse =
  (type: string): Fold =>
  (message, { id, providerMetadata }) => {
    const own = type === 'reasoning' ? { id } : {}
    message.grow(id, { type, ...own, text: '', providerMetadata, state: 'streaming' })
  }

const foldDelta: Fold = (message, { id, delta }) => {
  const part = message.grow(id)
  if (part !== undefined) part['text'] = toText(part['text']) + toText(delta)
}

const foldEnd: Fold = (message, { id, citations, providerMetadata }) => {
  const part = message.grow(id)
  if (part === undefined) return
  Object.assign(part, { state: 'done', citations })
  if (providerMetadata !== undefined) part['providerMetadata'] = providerMetadata
}

const foldMetadata: Fold = (message, { messageMetadata }) => message.merge(messageMetadata)

const foldSource: Fold = (message, chunk) => {
  message.push({ ...chunk })
}

const foldResult =
  (state: string): Fold =>
  (message, { toolCallId, output, errorText, providerExecuted, providerMetadata }) => {
    const part = message.call(toolCallId)
    if (part === undefined) return
    Object.assign(part, { state, output, errorText })
    part['providerExecuted'] = providerExecuted ?? part['providerExecuted']
    if (providerMetadata !== undefined) part['resultProviderMetadata'] = providerMetadata
  }

const foldData: Fold = (message, chunk) => {
  if (chunk['transient'] !== true) message.place(chunk)
}

const foldInput =
  (state: string): Fold =>
  (message, chunk) => {
    const { input, errorText, providerExecuted, providerMetadata } = chunk
    const part = message.openCall(chunk)
    Object.assign(part, { state, input, errorText, output: undefined })
    part['providerExecuted'] = providerExecuted ?? part['providerExecuted']
    if (providerMetadata !== undefined) part['callProviderMetadata'] = providerMetadata
  }

const folds: Readonly<Record<string, Fold | undefined>> = {
  'data-tool-status': (message, { data }) => message.settle(data),
  start: (message, { messageId, messageMetadata }) => {
    if (typeof messageId === 'string') message.id = messageId
    message.merge(messageMetadata)
  },
  'start-step': (message) => {
    message.push({ type: 'step-start' })
  },
  'text-start': foldProse('text'),
  'text-delta': foldDelta,
  'text-end': foldEnd,
  'reasoning-start': foldProse('reasoning'),
  'reasoning-delta': foldDelta,
  'reasoning-end': foldEnd,
  'tool-input-start': foldInput('input-streaming'),
  'tool-input-available': foldInput('input-available'),
  'tool-input-error': foldInput('output-error'),
  'tool-approval-request': (message, { toolCallId, approvalId }) => {
    const part = message.call(toolCallId)
    if (part === undefined) return
    Object.assign(part, { state: 'approval-requested', approval: { id: approvalId } })
  },
  'tool-output-available': foldResult('output-available'),
  'tool-output-error': foldResult('output-error'),
  'tool-output-denied': (message, { toolCallId }) => {
    const part = message.call(toolCallId)
    if (part !== undefined) part['state'] = 'output-denied'
  },
  'source-url': foldSource,
  'source-document': foldSource,
  'message-metadata': foldMetadata,
  finish: foldMetadata,
}

const decisionStages: ReadonlySet<unknown> = new Set(['approved', 'refused', 'expired'])

/** Returns a call as a page that is loaded after its answer should show it, before the run continues. */
function toSettled(part: Part, settled: ReadonlyMap<string, JsonObject>): Part {
  const { toolCallId, state } = part
  const { stage, detail } = settled.get(toText(toolCallId)) ?? {}
  if (stage === 'answered' && state === 'input-available')
    return { ...part, state: 'output-available', output: ANSWERED_OUTPUT }
  if (!decisionStages.has(stage) || state !== 'approval-requested') return part
  const reason = stage === 'refused' && detail !== '' ? { reason: toText(detail) } : {}
  const approval: JsonObject = { id: toText(toolCallId), approved: stage === 'approved', ...reason }
  return { ...part, state: 'approval-responded', approval }
}

/** Merges objects recursively. Other values are replaced. */
function merged(before: JsonObject, after: JsonObject): JsonObject {
  const fields = Object.entries(after).map(([name, value]): [string, JsonValue] => {
    const known = Object.hasOwn(before, name) ? before[name] : undefined
    return [name, isJsonObject(known) && isJsonObject(value) ? merged(known, value) : value]
  })
  return { ...before, ...Object.fromEntries(fields) }
}
