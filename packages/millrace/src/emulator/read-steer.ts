import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../json/index.ts'
import { findNewestWords } from './newest-words.ts'
import type { RequestMessage } from './request-content.ts'

/** Words that came while the model was at work, and the conversation without them. */
export interface Steer {
  /** What the model had read when they came. */
  readonly before: readonly RequestMessage[]
  /** The answer that they have cut; undefined where the model was not speaking. */
  readonly said: readonly JsonObject[] | undefined
  readonly after: readonly RequestMessage[]
}

/** What an agent says of calls with which the run was over: words that stand behind them are a new prompt. */
const ended = [
  /^The run was stopped\b/,
  /^The user stopped the run\b/,
  /^The tool was not run, because the message\b/,
]

/** What it says of calls that were not run because of the words that follow. */
const overtaken = /^The tool was not run, because the user wrote a new message\b/

/**
 * Reads whether the newest words may have come in the middle of something. Behind an answer nothing tells a cut one
 * from a whole one, so whoever knows what was to be said has to compare.
 */
export function readSteer(messages: readonly RequestMessage[]): Steer | undefined {
  const { before = [], after = [] } = findNewestWords(messages) ?? {}
  const spoken = before.findLastIndex(({ role }) => role === 'assistant')
  const since = before.slice(spoken + 1)
  if (before.length === 0) return undefined
  const cut = { before: before.slice(0, spoken), said: before[spoken]?.content ?? [], after }
  if (since.length === 0) return cut
  const blocks = since.flatMap(({ content }) => content)
  const asItWas = { before, said: undefined, after }
  // Two messages of people with no answer between them.
  if (blocks.some(({ type }) => type !== 'tool_result')) return asItWas
  const problems = blocks.filter((block) => block['is_error'] === true).map(toText)
  if (problems.some((text) => ended.some((pattern) => pattern.test(text)))) return undefined
  return problems.some((text) => overtaken.test(text)) ? cut : asItWas
}

function toText({ content }: JsonObject): string {
  if (typeof content === 'string') return content
  return isJsonArray(content) ? content.map(partText).join('\n') : ''
}

function partText(part: JsonValue): string {
  return isJsonObject(part) ? String(part['text'] ?? '') : ''
}
