import type { AgUiEvent } from '../../protocols/index.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts'
import { mapStoreErrors } from '../map-store-errors.ts'
import type { ServerContext } from '../server-context.ts'
import { type Conversation, readConversations } from '../runs/stored-run.ts'
import { isHidden, viewConversation } from '../views/viewed-answers.ts'
import { partsOf } from './run-input.ts'

/** AG-UI clients refuse a frame of ten megabytes. */
const MAX_HISTORY_CHARS = 4 * 1024 * 1024
const PAGE_RUNS = 20

/** What there was before a run, as messages. */
export interface ThreadHistory {
  readonly messages: readonly JsonObject[]
  /** Whether all is there that a reader was shown; else there are the questions, and last words. */
  readonly isWhole: boolean
  readonly showsResults: boolean
}

/** Where the stream tells what messages of a role say: those that a reader may not see there are left out here. */
const typeOfRole: Readonly<Record<string, string>> = { reasoning: 'thinking', tool: 'tool_result' }

/** The runs of a thread before one; those that are too many are left out from the oldest on. */
export async function readHistory(
  { store, agents, viewOf }: ServerContext,
  request: Request,
  session: string,
  before?: number,
): Promise<ThreadHistory> {
  const rules = await viewOf(request, session)
  const isWhole = !isHidden(rules, 'meta_final', 'conversation_history')
  const hiddenRoles = new Set<JsonValue | undefined>(
    Object.keys(typeOfRole).filter((role) => isHidden(rules, typeOfRole[role] ?? '', 'delta')),
  )
  const shown = { isWhole, showsResults: isWhole && !hiddenRoles.has('tool') }
  const runs: (readonly JsonObject[])[] = []
  let chars = 0
  let end = before
  for (;;) {
    const range = { limit: PAGE_RUNS, before: end }
    const page = await mapStoreErrors(readConversations({ store, session, agents }, range))
    for (const one of page) {
      const json = viewConversation(one, rules)
      chars += isWhole ? one.json.length : json.length
      if (chars > MAX_HISTORY_CHARS) return { messages: inOrder(runs), ...shown }
      const told = isWhole ? toldResults(one) : []
      const messages = [...toMessages(JSON.parse(json) as JsonObject, one.number), ...told]
      runs.push(messages.filter(({ role }) => !hiddenRoles.has(role)))
      end = one.number
    }
    if (page.length < PAGE_RUNS) return { messages: inOrder(runs), ...shown }
  }
}

/** Results as messages that stand after those of a run; `mark` tells them from others of the same run. */
function toResultMessages(
  results: readonly JsonObject[],
  number: number,
  mark: string,
): readonly JsonObject[] {
  return results
    .filter(isResult)
    .map((block, index) => toToolMessage(block, `h${number}.${mark}${index}`))
}

/** The results that were told before a run paused, which its messages have once all others are there. */
function toldResults({ json, number }: Conversation): readonly JsonObject[] {
  if (!json.includes('"told_results":')) return []
  const { told_results: told } = JSON.parse(json) as JsonObject
  return isJsonArray(told) ? toResultMessages(told.filter(isJsonObject), number, 't') : []
}

/** The messages of runs that were found from the newest on; if a run was left behind, the next has its results, too. */
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

/** Tells whether a client's copy of a history says the same: its questions and, if they are there, answers and calls. */
export function isSameHistory(
  copy: readonly JsonObject[],
  { messages, isWhole }: ThreadHistory,
): boolean {
  if (isWhole) return gistOf(copy) === gistOf(messages)
  const questionsIn = (all: readonly JsonObject[]) => all.filter(({ role }) => role === 'user')
  return gistOf(questionsIn(copy)) === gistOf(questionsIn(messages))
}

/**
 * All messages at once, for clients whose copy says something else. They let go of theirs first: a client leaves what
 * it knows where it is and adds the rest after it, and so would have the newest question before all others.
 */
export function toSnapshots(messages: readonly JsonObject[]): readonly AgUiEvent[] {
  return [[], messages].map((all) => ({ type: 'MESSAGES_SNAPSHOT', messages: all }))
}

/** Tells whether a message has come from a snapshot. */
export function isSnapshotId(id: string): boolean {
  return /^h\d+\.[tk]?\d/.test(id)
}

/** What was said in turn, however it is cut into messages; sub-agents, reasoning and results do not count. */
function gistOf(messages: readonly JsonObject[]): string {
  const turns: { question: string; answer: string; calls: string[] }[] = []
  for (const { role, content, toolCalls, subagentRunId } of messages) {
    if (subagentRunId !== undefined) continue
    if (role === 'user') turns.push({ question: textOf(content), answer: '', calls: [] })
    if (role !== 'assistant') continue
    if (turns.length === 0) turns.push({ question: '', answer: '', calls: [] })
    const turn = turns.at(-1)
    if (turn === undefined) continue
    turn.answer += textOf(content)
    const calls = isJsonArray(toolCalls) ? toolCalls.filter(isJsonObject) : []
    turn.calls.push(...calls.map(({ id }) => String(id)))
  }
  return JSON.stringify(turns)
}

function textOf(content: JsonValue | undefined): string {
  return partsOf(content)
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('')
}

/** The messages of a run; where these are hidden, its question and its answer. */
function toMessages(conversation: JsonObject, number: number): readonly JsonObject[] {
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
  const blocks = partsOf(content)
  const results = blocks
    .filter(isResult)
    .map((block, index) => toToolMessage(block, `${id}.${index}`))
  const text = blocks.flatMap(({ type, text: said }) => (type === 'text' ? [String(said)] : []))
  if (role === 'user') {
    const isAsked = blocks.some((block) => !isResult(block))
    return isAsked ? [...results, { id, role, content: text.join('') }] : results
  }
  const toolCalls = blocks.filter(({ type }) => String(type).endsWith('tool_use')).map(toToolCall)
  const calls = toolCalls.length > 0 ? { toolCalls } : {}
  const said = text.length > 0 ? { content: text.join('') } : {}
  const thoughts = blocks.flatMap(({ thinking }, index) =>
    typeof thinking === 'string' && thinking !== ''
      ? [{ id: `${id}.r${index}`, role: 'reasoning', content: thinking }]
      : [],
  )
  if (text.length + toolCalls.length === 0) return [...thoughts, ...results]
  return [...thoughts, { id, role: 'assistant', ...said, ...calls }, ...results]
}

function isResult({ type, tool_use_id: toolUseId }: JsonObject): boolean {
  return typeof toolUseId === 'string' && String(type).endsWith('tool_result')
}

function toToolCall({ id, name, input }: JsonObject): JsonObject {
  const call = { name: String(name), arguments: JSON.stringify(input ?? {}) }
  return { id: String(id), type: 'function', function: call }
}

function toToolMessage(
  { tool_use_id: toolUseId, content, is_error }: JsonObject,
  id: string,
): JsonObject {
  const isText =
    typeof content === 'string' || partsOf(content).every(({ type }) => type === 'text')
  const said = isText ? textOf(content) : JSON.stringify(content ?? null)
  const failed = is_error === true ? { error: said } : {}
  return { id, role: 'tool', toolCallId: String(toolUseId), content: said, ...failed }
}
