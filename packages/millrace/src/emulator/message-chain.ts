import type { JsonObject } from '../json/index.ts'
import { refuse, type RequestMessage } from './messages-request.ts'
import { isAltered } from './thinking-signature.ts'

/** Throws `bad_request` unless messages follow each other as the API demands. */
export function checkChain(messages: readonly RequestMessage[]): void {
  const turns = toTurns(messages)
  if (turns[0]?.role !== 'user') throw refuse('messages', 'the first message must be the user’s')
  turns.forEach((turn, position) => {
    checkThinking(turn)
    if (turn.role === 'user') checkResults(turn, turns[position - 1])
    else checkCalls(turn, turns[position + 1])
  })
  checkLast(turns.at(-1))
}

interface ChainTurn extends RequestMessage {
  /** Where the turn begins, for messages. */
  readonly path: string
}

/** The API joins neighbours of the same role; system messages stand between turns without ending them. */
function toTurns(messages: readonly RequestMessage[]): ChainTurn[] {
  const turns: { role: string; path: string; content: JsonObject[] }[] = []
  messages.forEach(({ role, content }, index) => {
    if (role === 'system') return
    const last = turns.at(-1)
    if (last?.role === role) last.content.push(...content)
    else turns.push({ role, path: `messages.${index}`, content: [...content] })
  })
  return turns
}

function checkCalls({ path, content }: ChainTurn, next: ChainTurn | undefined): void {
  const ids = idsOf(content, 'tool_use', 'id')
  if (new Set(ids).size < ids.length) throw refuse(path, 'two tool_use blocks have the same id')
  const answered = new Set(idsOf(next?.content ?? [], 'tool_result', 'tool_use_id'))
  const open = ids.filter((id) => !answered.has(id))
  if (open.length === 0) return
  throw refuse(path, `tool_use ${open.join(', ')} has no tool_result in the message after it`)
}

function checkResults({ path, content }: ChainTurn, before: ChainTurn | undefined): void {
  const called = new Set(idsOf(before?.content ?? [], 'tool_use', 'id'))
  const ids = idsOf(content, 'tool_result', 'tool_use_id')
  const stray = ids.filter((id) => !called.has(id))
  if (stray.length > 0) {
    throw refuse(path, `tool_result ${stray.join(', ')} has no tool_use in the message before it`)
  }
  if (new Set(ids).size < ids.length) throw refuse(path, 'a tool_use has two tool_result blocks')
  const firsts = content.slice(0, ids.length)
  if (firsts.some(({ type }) => type !== 'tool_result')) {
    throw refuse(path, 'tool_result blocks must stand before all others')
  }
}

function checkThinking({ path, content }: ChainTurn): void {
  const altered = content.some(
    ({ type, thinking, signature }) => type === 'thinking' && isAltered(thinking, signature),
  )
  if (altered) throw refuse(path, 'a thinking block or its signature is not as the model sent it')
}

/** Current models do not go on from text that a request puts into their mouth. */
function checkLast(turn: ChainTurn | undefined): void {
  if (turn?.role !== 'assistant' || turn.content.at(-1)?.['type'] !== 'text') return
  throw refuse('messages', 'the last message must be the user’s: this model takes no prefill')
}

function idsOf(content: readonly JsonObject[], type: string, field: string): string[] {
  return content.filter((block) => block['type'] === type).map((block) => String(block[field]))
}
