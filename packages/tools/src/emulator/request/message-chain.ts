import type { JsonObject } from 'millrace'
import { isServerToolCall, isServerToolResult, unansweredCalls } from '../server-tool-blocks.ts'
import { invalidRequest, type RequestMessage } from './request-content.ts'
import { isAltered, isRedactionAltered } from '../thinking-signature.ts'

/** Options that decide which messages may follow each other. */
interface ChainRules {
  /** The model continues a prefilled assistant message. */
  readonly takesPrefill: boolean
}

/** Throws `bad_request` unless the order of messages is one that the API accepts. */
export function checkChain(
  messages: readonly RequestMessage[],
  { takesPrefill }: ChainRules,
): void {
  const turns = toTurns(messages)
  if (turns[0]?.role !== 'user')
    throw invalidRequest('messages', 'the first message must be the user’s')
  turns.forEach((turn, position) => {
    checkThinking(turn)
    if (turn.role === 'user') checkResults(turn, turns[position - 1])
    else checkCalls(turn, turns[position + 1])
  })
  checkServerToolCalls(turns)
  checkLast(turns.at(-1), takesPrefill)
}

interface ChainTurn extends RequestMessage {
  /** Path of the turn's first message, for error messages. */
  readonly path: string
}

/** The API joins neighbours of the same role; system messages between turns do not end a turn. */
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
  if (new Set(ids).size < ids.length)
    throw invalidRequest(path, 'two tool_use blocks have the same id')
  const answered = new Set(idsOf(next?.content ?? [], 'tool_result', 'tool_use_id'))
  const open = ids.filter((id) => !answered.has(id))
  if (open.length === 0) return
  throw invalidRequest(
    path,
    `tool_use ${open.join(', ')} has no tool_result in the message after it`,
  )
}

function checkResults({ path, content }: ChainTurn, before: ChainTurn | undefined): void {
  const called = new Set(idsOf(before?.content ?? [], 'tool_use', 'id'))
  const ids = idsOf(content, 'tool_result', 'tool_use_id')
  const stray = ids.filter((id) => !called.has(id))
  if (stray.length > 0) {
    throw invalidRequest(
      path,
      `tool_result ${stray.join(', ')} has no tool_use in the message before it`,
    )
  }
  if (new Set(ids).size < ids.length)
    throw invalidRequest(path, 'a tool_use has two tool_result blocks')
  const firsts = content.slice(0, ids.length)
  if (firsts.some(({ type }) => type !== 'tool_result')) {
    throw invalidRequest(path, 'tool_result blocks must precede all others')
  }
}

/** A server tool call may be answered in a later turn; a call without a result requires a turn that can continue. */
function checkServerToolCalls(turns: readonly ChainTurn[]): void {
  const own = turns.filter(({ role }) => role === 'assistant')
  const blocks = own.flatMap(({ content }) => content)
  const called = new Set(blocks.filter(isServerToolCall).map(({ id }) => id))
  for (const { path, content } of own) {
    const stray = content.find(
      (block) => isServerToolResult(block) && !called.has(block['tool_use_id']),
    )
    if (stray !== undefined) {
      throw invalidRequest(
        path,
        `${String(stray['type'])} ${String(stray['tool_use_id'])} has no call`,
      )
    }
  }
  const mayWait = canContinue(turns) ? (own.at(-1)?.content ?? []) : []
  const open = unansweredCalls(blocks).find((call) => !mayWait.includes(call))
  if (open === undefined) return
  const path = own.find(({ content }) => content.includes(open))?.path ?? 'messages'
  throw invalidRequest(path, `${String(open['type'])} ${String(open['id'])} has no result`)
}

/** The model can continue its own last turn after a pause or with the results of its calls. */
function canContinue(turns: readonly ChainTurn[]): boolean {
  const last = turns.at(-1)
  return last?.role === 'assistant' || last?.content[0]?.['type'] === 'tool_result'
}

function checkThinking({ path, content }: ChainTurn): void {
  const altered = content.some(
    ({ type, thinking, signature, data }) =>
      (type === 'thinking' && isAltered(thinking, signature)) ||
      (type === 'redacted_thinking' && isRedactionAltered(data)),
  )
  if (altered) throw invalidRequest(path, 'a thinking block or its signature was changed')
}

/** Current models do not accept a prefilled assistant message. */
function checkLast(turn: ChainTurn | undefined, takesPrefill: boolean): void {
  const { type, text } = turn?.content.at(-1) ?? {}
  if (turn?.role !== 'assistant') return
  if (type === 'thinking' || type === 'redacted_thinking') {
    throw invalidRequest('messages', 'the last block cannot be thinking')
  }
  if (type !== 'text') return
  if (!takesPrefill) {
    throw invalidRequest(
      'messages',
      'the last message must be the user’s: this model accepts no prefill',
    )
  }
  if (/\s$/.test(String(text)))
    throw invalidRequest('messages', 'a prefill cannot end with white space')
}

function idsOf(content: readonly JsonObject[], type: string, field: string): string[] {
  return content.filter((block) => block['type'] === type).map((block) => String(block[field]))
}
