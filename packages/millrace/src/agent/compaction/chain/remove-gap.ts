import { isResult, isServerCall, isServerResult, type Message } from '../../../events/index.ts'
import { answeredBy, idOf, isPrompt } from './check-chain.ts'
import { estimateTokens } from '../tokens/estimate-tokens.ts'
import { fillerAnswer } from '../notes.ts'

/** A conversation and the index of the current run's prompt. */
export interface Chain {
  readonly messages: readonly Message[]
  readonly runStart: number
}

interface Gap {
  /** Number of messages before the gap: odd, or 0. */
  readonly head: number
  /** Index of the first message after the gap: one of {@link findCuts}. */
  readonly cut: number
  /** Adds a note to the last message before the gap. */
  readonly note: (message: Message) => Message
}

/** Removes the messages of a gap but keeps the prompt of the current run. The result is valid if the chain was. */
export function removeGap({ messages, runStart }: Chain, { head, cut, note }: Gap): Chain {
  const kept: Message[] = messages.slice(0, head)
  const last = kept.pop()
  if (last !== undefined) kept.push(note(last))
  if (runStart < head || runStart >= cut) {
    const rest = join(kept, messages.slice(cut))
    return {
      messages: rest,
      runStart: runStart < head ? runStart : runStart + rest.length - messages.length,
    }
  }
  const prompt = messages[runStart]
  const withPrompt = join(kept, prompt === undefined ? [] : withoutResults(prompt))
  return { messages: join(withPrompt, messages.slice(cut)), runStart: withPrompt.length - 1 }
}

/** Removes the results from the prompt, because their calls are gone. */
function withoutResults(message: Message): Message[] {
  const content = message.content.filter((block) => !isResult(block))
  if (message.role !== 'user' || content.length === 0) return []
  return [content.length === message.content.length ? message : { ...message, content }]
}

function join(before: readonly Message[], after: readonly Message[]): Message[] {
  const isDouble = before.at(-1)?.role === 'user' && after[0]?.role === 'user'
  return [...before, ...(isDouble ? [fillerAnswer] : []), ...after]
}

/** Returns the number of first messages to keep: `keepFirst`, extended to the next user message that any message can follow. Odd, or 0. */
export function headLength({ messages }: Chain, keepFirst: number): number {
  const reach = farthestResults(messages)
  let head = Math.min(Math.max(0, Math.floor(keepFirst)), messages.length)
  for (let index = 0; index < head; index++) {
    const next = Math.max(head, (reach[index] ?? 0) + 1)
    head = Math.min(next % 2 === 0 ? next + 1 : next, messages.length)
  }
  return head
}

/**
 * Finds the positions where the kept end may start: a prompt, or inside a turn an answer to results. A position is
 * never between a call and its result, provider calls included, nor directly after a prompt, whose answer would lose
 * it.
 */
export function findCuts({ messages, runStart }: Chain, head: number): number[] {
  const reach = farthestResults(messages)
  const cuts: number[] = []
  let closed = 0
  messages.forEach((message, index) => {
    const before = messages[index - 1]
    const isFree = index > head && index >= closed
    closed = Math.max(closed, (reach[index] ?? 0) + 1)
    if (!isFree || before === undefined) return
    const canStart = head > 0 || runStart < index
    if (isPrompt(message) || (message.role === 'assistant' && !isPrompt(before) && canStart)) {
      cuts.push(index)
    }
  })
  return cuts
}

/** Returns, for each message, the index of the last message with a result of its provider calls. */
function farthestResults(messages: readonly Message[]): readonly number[] {
  const places = new Map<string, number>()
  messages.forEach(({ content }, index) => {
    for (const block of content) if (isServerResult(block)) places.set(answeredBy(block), index)
  })
  return messages.map(({ content }, index) =>
    content.reduce(
      (farthest, block) =>
        isServerCall(block) ? Math.max(farthest, places.get(idOf(block)) ?? 0) : farthest,
      index,
    ),
  )
}

/** Chooses the first cut after which the messages have at most `tokens`, else the last cut. Returns undefined without cuts. */
export function cutToFit(chain: Chain, head: number, tokens: number): number | undefined {
  const { messages, runStart } = chain
  const cuts = findCuts(chain, head)
  const prompt = runStart < head ? 0 : estimateTokens(messages.slice(runStart, runStart + 1))
  let weight = 0
  let index = messages.length
  let fitting: number | undefined
  for (const cut of [...cuts].reverse()) {
    for (; index > cut; index--) weight += estimateTokens(messages.slice(index - 1, index))
    if (weight + (cut > runStart ? prompt : 0) > tokens) break
    fitting = cut
  }
  return fitting ?? cuts.at(-1)
}
