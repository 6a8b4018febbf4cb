import {
  type ContentBlock,
  isBlank,
  isCall,
  isResult,
  isServerCall,
  isServerResult,
  isThought,
  type Message,
} from '../../../events/index.ts'
import { isJsonObject } from '../../../json/index.ts'

/** Returns the id of a call. */
export function idOf({ id }: ContentBlock): string {
  return String(id)
}

/** Returns the id of the call that a result answers. */
export function answeredBy({ tool_use_id: id }: ContentBlock): string {
  return String(id)
}

/** Returns the id of the code execution call that made a call. */
export function callerOf({ caller }: ContentBlock): string | undefined {
  const id = isJsonObject(caller) ? caller['tool_id'] : undefined
  return typeof id === 'string' ? id : undefined
}

/**
 * Lists the reasons why a model API would reject a conversation; empty if it is valid. The last message may be an
 * answer without local tool calls: a finished conversation, or one that the provider paused.
 */
export function checkChain(messages: readonly Message[]): string[] {
  if (messages.length === 0) return ['messages: the list is empty']
  const first = messages[0]?.role === 'user' ? [] : ['messages.0: the first message must be user']
  return [
    ...first,
    ...messages.flatMap((message, index) =>
      [
        ...checkMessage(message, messages[index - 1]),
        ...(message.role === 'user'
          ? checkResults(message, messages[index - 1])
          : checkCalls(message, messages[index + 1])),
      ].map((fault) => `messages.${index}: ${fault}`),
    ),
    ...checkIds(messages),
    ...checkServerCalls(messages),
  ]
}

function* checkMessage({ role, content }: Message, before: Message | undefined): Iterable<string> {
  if (before?.role === role) yield `two ${role} messages in a row`
  if (content.length === 0) yield 'content is empty'
  if (content.some(isBlank)) yield 'text is blank'
  const last = content.at(-1)
  if (last !== undefined && isThought(last)) yield 'thinking is the last block'
}

function* checkCalls({ content }: Message, next: Message | undefined): Iterable<string> {
  if (content.some(isResult)) yield 'a tool_result is in an assistant message'
  const answered = new Set(resultsOf(next).map(answeredBy))
  for (const call of content.filter(isCall)) {
    if (!answered.has(idOf(call))) yield `tool_use ${idOf(call)} has no tool_result after it`
  }
}

function* checkResults(
  { content }: Message,
  before: Message | undefined,
): Generator<string, void, undefined> {
  const misplaced = content.find(isAnswerOnly)
  if (misplaced !== undefined) yield `${misplaced.type} is in a user message`
  const called = new Set(
    before?.role === 'assistant' ? before.content.filter(isCall).map(idOf) : [],
  )
  const ids = content.filter(isResult).map(answeredBy)
  for (const id of ids) {
    if (!called.has(id)) yield `tool_result ${id} has no tool_use before it`
  }
  if (new Set(ids).size < ids.length) yield 'a tool_use has two results'
  if (!content.slice(0, ids.length).every(isResult)) yield 'results are not the first blocks'
}

/** Checks for a block that may occur only in an assistant message. */
export function isAnswerOnly(block: ContentBlock): boolean {
  return isCall(block) || isServerCall(block) || isServerResult(block) || isThought(block)
}

function checkIds(messages: readonly Message[]): string[] {
  const seen = new Set<string>()
  return messages.flatMap(({ content }, index) =>
    content.filter(isAnyCall).flatMap((block) => {
      const id = idOf(block)
      const caller = callerOf(block)
      const isLost = caller !== undefined && !seen.has(caller)
      const lost = isLost
        ? [`messages.${index}: ${id} was called by ${caller}, which is missing`]
        : []
      const twice = seen.has(id) ? [`messages.${index}: the id ${id} is used twice`] : []
      seen.add(id)
      return [...twice, ...lost]
    }),
  )
}

function isAnyCall(block: ContentBlock): boolean {
  return isCall(block) || isServerCall(block)
}

/** Checks the provider's calls. A result may be in a later answer than its call. The last answer may lack one if the model continues it. */
function checkServerCalls(messages: readonly Message[]): string[] {
  const open = new Map<string, number>()
  const faults: string[] = []
  messages.forEach(({ role, content }, index) => {
    if (role !== 'assistant') return
    for (const block of content) {
      if (isServerCall(block)) open.set(idOf(block), index)
      if (!isServerResult(block) || open.delete(answeredBy(block))) continue
      faults.push(`messages.${index}: ${block.type} ${answeredBy(block)} has no call before it`)
    }
  })
  const mayWait = continuedAnswer(messages)
  for (const [id, index] of open) {
    if (index !== mayWait) faults.push(`messages.${index}: the server’s call ${id} has no result`)
  }
  return faults
}

/** Returns the index of the answer that the model continues, after a pause or with tool results. */
export function continuedAnswer(messages: readonly Message[]): number | undefined {
  const last = messages.at(-1)
  if (last?.role === 'assistant') return messages.length - 1
  return last?.content[0] !== undefined && isResult(last.content[0])
    ? messages.length - 2
    : undefined
}

function resultsOf(message: Message | undefined): readonly ContentBlock[] {
  return message?.role === 'user' ? message.content.filter(isResult) : []
}

/**
 * Finds the start of the current run in messages that may have been compacted: the prompt if it is still the same
 * value, else the last user message without results.
 */
export function findRunStart(messages: readonly Message[], prompt?: Message): number {
  const found = prompt === undefined ? -1 : messages.lastIndexOf(prompt)
  return found >= 0 ? found : Math.max(0, messages.findLastIndex(isPrompt))
}

/** Checks for a message that starts a turn: a user message without results. */
export function isPrompt({ role, content }: Message): boolean {
  return role === 'user' && !content.some(isResult)
}
