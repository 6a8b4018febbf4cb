import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../json/index.ts'
import { readCallDelta } from './chat-calls.ts'
import { type ChatState, flushPendingDetails, mergeDetails } from './chat-state.ts'
import { toOwnFields } from './message-blocks.ts'

/** Text fields of reasoning: of DeepSeek and vLLM, of OpenRouter and Ollama. A server that sends both repeats the text. */
const textFields = ['reasoning_content', 'reasoning'] as const

/** Fields of a delta that are mapped; all others are stored as details. */
const deltaFields: ReadonlySet<string> = new Set(
  'role content refusal tool_calls function_call reasoning reasoning_content reasoning_details annotations'.split(
    ' ',
  ),
)

/** Applies a delta to the message: reasoning before text, and both before calls. */
export function takeDelta(state: ChatState, delta: JsonObject): void {
  takeReasoning(state, delta)
  takeContent(state, delta['content'])
  takeRefusal(state, delta['refusal'])
  takeCalls(state, delta)
  takeAnnotations(state, delta['annotations'])
  mergeDetails(state, delta, deltaFields)
}

function takeReasoning(state: ChatState, delta: JsonObject): void {
  const reasoning = readReasoning(delta)
  if (reasoning === undefined) return
  const { text, field, details } = reasoning
  writeThinking(state, text, field === undefined ? {} : toOwnFields(undefined, { field }))
  if (details.length === 0) return
  const { prose } = state.blocks
  if (prose?.kind === 'thinking') appendDetails((prose.details ??= []), details)
  else appendDetails(state.pendingDetails, details)
}

function writeThinking(state: ChatState, text: string, fields: JsonObject = {}): void {
  if (text === '') return
  state.calls.endComplete()
  flushPendingDetails(state)
  state.blocks.write('thinking', text, fields)
}

/** Applies text, or a list of parts, in which Mistral sends text and thinking. */
function takeContent(state: ChatState, content: JsonValue | undefined): void {
  if (typeof content === 'string') return writeText(state, content)
  if (!isJsonArray(content)) return
  for (const part of content.filter(isJsonObject)) {
    const { type, text, thinking } = part
    if (type === 'thinking') writeThinking(state, textOfParts(thinking))
    else if (typeof text === 'string') writeText(state, text)
    else state.blocks.note('A content part that is not text was ignored.', part)
  }
}

function writeText(state: ChatState, text: string): void {
  if (text === '') return
  if (state.blocks.prose?.kind !== 'text') flushPendingDetails(state)
  state.calls.endComplete()
  state.blocks.write('text', text)
}

function textOfParts(parts: JsonValue | undefined): string {
  if (typeof parts === 'string') return parts
  if (!isJsonArray(parts)) return ''
  return parts.map((part) => (isJsonObject(part) ? String(part['text'] ?? '') : '')).join('')
}

/** Applies a refusal, which replaces the answer and is shown as text. */
function takeRefusal(state: ChatState, refusal: JsonValue | undefined): void {
  if (typeof refusal !== 'string' || refusal === '') return
  state.isRefused = true
  state.calls.endComplete()
  flushPendingDetails(state)
  state.blocks.write('text', refusal)
}

function takeCalls(
  state: ChatState,
  { tool_calls: list, function_call: legacy }: JsonObject,
): void {
  if (list === undefined && legacy === undefined) return
  const entries = isJsonArray(list) ? list : []
  const all = isJsonObject(legacy) ? [...entries, { index: 0, function: legacy }] : entries
  for (const entry of all) {
    const delta = readCallDelta(entry)
    if (delta === undefined) continue
    flushPendingDetails(state)
    state.calls.take(delta)
  }
}

/** Applies citations of the open text. */
function takeAnnotations(state: ChatState, annotations: JsonValue | undefined): void {
  const { blocks } = state
  if (!isJsonArray(annotations)) return
  for (const annotation of annotations.filter(isJsonObject)) {
    if (blocks.prose?.kind === 'text') blocks.cite(blocks.prose, toCitation(annotation))
    else blocks.note('An annotation without text was ignored.', annotation)
  }
}

/**
 * Converts an annotation to a citation. An annotation holds its fields under its type; a citation holds them at the
 * top level, with the passage as `cited_text`.
 */
function toCitation(annotation: JsonObject): JsonObject {
  const { type = 'annotation', ...others } = annotation
  const inner = others[String(type)]
  if (!isJsonObject(inner)) return { type, ...others }
  const { content, ...fields } = inner
  return typeof content === 'string' ? { type, ...fields, cited_text: content } : { type, ...inner }
}

interface Reasoning {
  readonly text: string
  /** Its field, in which it is sent back. */
  readonly field: string | undefined
  /** OpenRouter's details: summaries, signatures, encrypted parts. */
  readonly details: readonly JsonObject[]
}

/** Reads the reasoning of a delta in any known field. Returns undefined if there is none. */
function readReasoning(delta: JsonObject): Reasoning | undefined {
  const given = delta['reasoning_details']
  if (given === undefined && textFields.every((field) => delta[field] === undefined)) {
    return undefined
  }
  const details = isJsonArray(given) ? given.filter(isJsonObject) : []
  const field = textFields.find((name) => typeof delta[name] === 'string' && delta[name] !== '')
  if (field !== undefined) return { text: String(delta[field]), field, details }
  return { text: details.map(textOfDetail).join(''), field: undefined, details }
}

function textOfDetail({ text, summary }: JsonObject): string {
  if (typeof text === 'string') return text
  return typeof summary === 'string' ? summary : ''
}

/** Appends streamed details to a list. Joins each with the previous one if it continues it. */
function appendDetails(list: JsonObject[], details: readonly JsonObject[]): void {
  for (const detail of details) {
    const last = list.at(-1)
    if (last !== undefined && isContinued(last, detail)) {
      list[list.length - 1] = joinDetails(last, detail)
    } else list.push(detail)
  }
}

/** Checks whether a detail continues another. Signatures cover the whole text, so its parts must be sent back as one. */
function isContinued(last: JsonObject, next: JsonObject): boolean {
  return (
    last['type'] === next['type'] &&
    last['index'] === next['index'] &&
    next['type'] !== 'reasoning.encrypted'
  )
}

function joinDetails(last: JsonObject, next: JsonObject): JsonObject {
  const present = Object.entries(next).filter(([, value]) => value !== null)
  return {
    ...last,
    ...Object.fromEntries(present),
    ...joinField(last, next, 'text'),
    ...joinField(last, next, 'summary'),
  }
}

function joinField(last: JsonObject, next: JsonObject, field: string): JsonObject {
  const before: JsonValue | undefined = last[field]
  const after = next[field]
  if (typeof before !== 'string' || typeof after !== 'string') return {}
  return { [field]: before + after }
}
