import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from 'millrace'
import { splitAtNewestMessage } from '../request/newest-message.ts'
import type { RequestMessage } from '../request/request-content.ts'

/** A message that arrived while the model was active, and the conversation without it. */
export interface Steer {
  /** The messages that the model had read when it arrived. */
  readonly before: readonly RequestMessage[]
  /** The answer that it cut; undefined if the model was not answering. */
  readonly sent: readonly JsonObject[] | undefined
  readonly after: readonly RequestMessage[]
}

/** Results that an agent writes for calls at the end of a run: a message after them is a new prompt. */
const endResults = [
  /^The run was stopped\b/,
  /^The user stopped the run\b/,
  /^The tool was not run, because the message\b/,
]

/** The result that an agent writes for calls that a steering message prevented. */
const preventedResult = /^The tool was not run, because the user wrote a new message\b/

/**
 * Returns the newest message if it may have arrived during a run. A cut answer looks like a complete one, so the
 * caller must compare it with the script.
 */
export function readSteer(messages: readonly RequestMessage[]): Steer | undefined {
  const { before = [], after = [] } = splitAtNewestMessage(messages) ?? {}
  const answerIndex = before.findLastIndex(({ role }) => role === 'assistant')
  const since = before.slice(answerIndex + 1)
  if (before.length === 0) return undefined
  const cut = {
    before: before.slice(0, answerIndex),
    sent: before[answerIndex]?.content ?? [],
    after,
  }
  if (since.length === 0) return cut
  const blocks = since.flatMap(({ content }) => content)
  const uncut = { before, sent: undefined, after }
  // Two user messages with no answer between them.
  if (blocks.some(({ type }) => type !== 'tool_result')) return uncut
  const problems = blocks.filter((block) => block['is_error'] === true).map(toText)
  if (problems.some((text) => endResults.some((pattern) => pattern.test(text)))) return undefined
  return problems.some((text) => preventedResult.test(text)) ? cut : uncut
}

function toText({ content }: JsonObject): string {
  if (typeof content === 'string') return content
  return isJsonArray(content) ? content.map(partText).join('\n') : ''
}

function partText(part: JsonValue): string {
  return isJsonObject(part) ? String(part['text'] ?? '') : ''
}
