import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../json/index.ts'
import type { PastRun, PlainMessage, StreamFacts } from '../../port/index.ts'
import type { AgUiEvent } from '../index.ts'
import { contentOf, newestQuestion, type RunInput } from './run-input.ts'

/** Limit below ten megabytes, the frame size that AG-UI clients refuse. */
const MAX_HISTORY_CHARS = 4 * 1024 * 1024

/**
 * Creates the events right after `RUN_STARTED`: the state, and snapshots of all messages if the client's copy of the conversation
 * differs from the server's.
 */
export async function toOpening(
  input: RunInput,
  stream: StreamFacts,
): Promise<readonly AgUiEvent[]> {
  const asked = newestQuestion(input)
  const question = asked === undefined ? [] : [asked]
  const copy = input.messages.slice(0, input.messages.length - question.length)
  const state = toState(input, stream)
  if (await stream.isSameHistory(toPlainMessages(copy))) return state
  const history = await readHistory(stream)
  if (isSameHistory(copy, history)) return state
  return [...state, ...toSnapshots([...history.messages, ...question])]
}

/** Adds the session to the state of the client; creates nothing if the client has no state. */
export function toState({ state }: RunInput, { session }: StreamFacts): readonly AgUiEvent[] {
  if (!isJsonObject(state)) return []
  const snapshot: JsonObject = { ...state, millrace: { session } }
  return [{ type: 'STATE_SNAPSHOT', snapshot }]
}

/** Checks for the id of a message that a snapshot has sent. */
export function isSnapshotId(id: string): boolean {
  return /^h\d+\.[tk]?\d/.test(id)
}

/** The messages before a run. */
interface ThreadHistory {
  readonly messages: readonly JsonObject[]
  /** Whether it has all messages that the reader may see; otherwise only prompts and final answers. */
  readonly isWhole: boolean
}

/** The event type that carries the messages of a role: a view that hides it hides the messages. */
const typeOfRole: Readonly<Record<string, string>> = { reasoning: 'thinking', tool: 'tool_result' }

/** Reads the runs before the shown one, without the oldest if they are too large. */
async function readHistory(stream: StreamFacts): Promise<ThreadHistory> {
  const isWhole = !(await stream.hides('meta_final', 'conversation_history'))
  const hiddenRoles = new Set<JsonValue | undefined>()
  for (const [role, type] of Object.entries(typeOfRole))
    if (await stream.hides(type, 'delta')) hiddenRoles.add(role)
  const runs: (readonly JsonObject[])[] = []
  let chars = 0
  for await (const run of stream.history()) {
    chars += run.size
    if (chars > MAX_HISTORY_CHARS) break
    const results = toResultMessages(run.results, run.number, 't')
    runs.push([...toMessages(run), ...results].filter(({ role }) => !hiddenRoles.has(role)))
  }
  return { messages: inOrder(runs), isWhole }
}

/** Sorts runs from oldest to newest. The run after an abandoned one repeats its results. */
function inOrder(runs: readonly (readonly JsonObject[])[]): readonly JsonObject[] {
  const seen = new Set<unknown>()
  return runs
    .toReversed()
    .flat()
    .filter(({ role, toolCallId }) => {
      if (role !== 'tool') return true
      const isNew = !seen.has(toolCallId)
      seen.add(toolCallId)
      return isNew
    })
}

/** Compares prompts and, if the history has them, answers and calls. */
function isSameHistory(copy: readonly JsonObject[], { messages, isWhole }: ThreadHistory): boolean {
  if (isWhole) return gistOf(copy) === gistOf(messages)
  const questionsIn = (all: readonly JsonObject[]) => all.filter(({ role }) => role === 'user')
  return gistOf(questionsIn(copy)) === gistOf(questionsIn(messages))
}

/**
 * Creates a snapshot without messages and one with all messages. A client keeps a known message in its place and appends others, so it must
 * first drop its copy.
 */
function toSnapshots(messages: readonly JsonObject[]): readonly AgUiEvent[] {
  return [[], messages].map((all) => ({ type: 'MESSAGES_SNAPSHOT', messages: all }))
}

/** Joins prompts, answers and calls, regardless of their division into messages. */
function gistOf(messages: readonly JsonObject[]): string {
  const turns: { question: string; answer: string; calls: string[] }[] = []
  for (const { role, text, calls } of toPlainMessages(messages)) {
    if (role === 'user') turns.push({ question: text, answer: '', calls: [] })
    if (role === 'user') continue
    if (turns.length === 0) turns.push({ question: '', answer: '', calls: [] })
    const turn = turns.at(-1)
    if (turn === undefined) continue
    turn.answer += text
    turn.calls.push(...calls)
  }
  return JSON.stringify(turns)
}

/** Returns prompts and answers with their calls, without sub-agents, reasoning and results. */
function toPlainMessages(messages: readonly JsonObject[]): readonly PlainMessage[] {
  return messages.flatMap(({ role, content, toolCalls, subagentRunId }): PlainMessage[] => {
    if (subagentRunId !== undefined || (role !== 'user' && role !== 'assistant')) return []
    const calls = role === 'assistant' && isJsonArray(toolCalls) ? toolCalls : []
    const ids = calls.filter(isJsonObject).map(({ id }) => String(id))
    return [{ role, text: textOf(content), calls: ids }]
  })
}

function textOf(content: JsonValue | undefined): string {
  return contentOf(content)
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('')
}

/** Converts the messages of a run; if they are hidden, its prompt and its answer. */
function toMessages({ conversation, number }: PastRun): readonly JsonObject[] {
  const { messages, user_message: question, final_response: answer } = conversation
  if (isJsonArray(messages)) {
    return messages
      .filter(isJsonObject)
      .flatMap((one, index) => toMessage(one, `h${number}.${index}`))
  }
  return [
    ...(typeof question === 'string'
      ? [{ id: `h${number}.q`, role: 'user', content: question }]
      : []),
    ...(typeof answer === 'string'
      ? [{ id: `h${number}.a`, role: 'assistant', content: answer }]
      : []),
  ]
}

function toMessage({ role, content }: JsonObject, id: string): readonly JsonObject[] {
  const blocks = contentOf(content)
  const results = blocks
    .filter(isResult)
    .map((block, index) => toToolMessage(block, `${id}.${index}`))
  const text = blocks.flatMap(({ type, text: words }) => (type === 'text' ? [String(words)] : []))
  if (role === 'user') {
    const isAsked = blocks.some((block) => !isResult(block))
    return isAsked ? [...results, { id, role, content: text.join('') }] : results
  }
  const toolCalls = blocks.filter(({ type }) => String(type).endsWith('tool_use')).map(toToolCall)
  const calls = toolCalls.length > 0 ? { toolCalls } : {}
  const words = text.length > 0 ? { content: text.join('') } : {}
  const thoughts = blocks.flatMap(({ thinking }, index) =>
    typeof thinking === 'string' && thinking !== ''
      ? [{ id: `${id}.r${index}`, role: 'reasoning', content: thinking }]
      : [],
  )
  if (text.length + toolCalls.length === 0) return [...thoughts, ...results]
  return [...thoughts, { id, role: 'assistant', ...words, ...calls }, ...results]
}

function isResult({ type, tool_use_id: callId }: JsonObject): boolean {
  return typeof callId === 'string' && String(type).endsWith('tool_result')
}

/** Converts results to messages after those of a run; `mark` distinguishes their ids. */
function toResultMessages(
  results: readonly JsonObject[],
  number: number,
  mark: string,
): readonly JsonObject[] {
  return results
    .filter(isResult)
    .map((block, index) => toToolMessage(block, `h${number}.${mark}${index}`))
}

function toToolCall({ id, name, input }: JsonObject): JsonObject {
  const call = { name: String(name), arguments: JSON.stringify(input ?? {}) }
  return { id: String(id), type: 'function', function: call }
}

function toToolMessage(
  { tool_use_id: callId, content, is_error }: JsonObject,
  id: string,
): JsonObject {
  const isText =
    typeof content === 'string' || contentOf(content).every(({ type }) => type === 'text')
  const words = isText ? textOf(content) : JSON.stringify(content ?? null)
  const failed = is_error === true ? { error: words } : {}
  return { id, role: 'tool', toolCallId: String(callId), content: words, ...failed }
}
