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
import { answeredBy, callerOf, continuedAnswer, idOf, isAnswerOnly } from './check-chain.ts'

/**
 * Removes content that a model API would reject: calls and results stay or go in pairs, roles alternate and start
 * with the user, results come first, no answer ends with thinking. A valid conversation and each unchanged message
 * keep their identity.
 */
export function keepValid(messages: readonly Message[]): readonly Message[] {
  for (let kept = messages; ;) {
    const next = repair(kept)
    // A removed block can invalidate another one. Each round removes blocks or changes nothing.
    if (isSame(next, kept)) return kept
    kept = next
  }
}

function repair(messages: readonly Message[]): Message[] {
  const turns = joinTurns(messages)
  const filterBlocks = createBlockFilter(turns)
  const kept: Message[] = []
  turns.forEach((turn, index) => {
    const content = filterBlocks(turn, index)
    if (content.length > 0) kept.push(isSame(content, turn.content) ? turn : { ...turn, content })
  })
  return kept
}

/** Joins adjacent messages of one role. Drops blocks that their role does not allow. */
function joinTurns(messages: readonly Message[]): Message[] {
  const turns: Message[] = []
  let joined: ContentBlock[] | undefined
  for (const message of messages) {
    const { role } = message
    const content = message.content.filter((block) => isAllowed(role, block))
    const last = turns.at(-1)
    if (content.length === 0) continue
    if (last?.role !== role) {
      turns.push(isSame(content, message.content) ? message : { ...message, content })
      joined = undefined
      continue
    }
    if (joined === undefined) {
      joined = [...last.content]
      turns[turns.length - 1] = { ...last, content: joined }
    }
    for (const block of content) joined.push(block)
  }
  return turns
}

function isAllowed(role: Message['role'], block: ContentBlock): boolean {
  return !isBlank(block) && !(role === 'user' ? isAnswerOnly(block) : isResult(block))
}

type BlockFilter = (turn: Message, index: number) => readonly ContentBlock[]

/** Creates a filter of blocks. It must be called for each turn in order. */
function createBlockFilter(turns: readonly Message[]): BlockFilter {
  const waiting = continuedAnswer(turns)
  const lastAnswers = placeServerResults(turns)
  const calls = new Set<string>()
  const answered = new Set<string>()
  let asked = new Set<string>()
  let place = 0
  let isBegun = false

  function keepsCall(block: ContentBlock, isAnswered: boolean): boolean {
    const caller = callerOf(block)
    if (!isAnswered || calls.has(idOf(block))) return false
    if (caller !== undefined && !calls.has(caller)) return false
    calls.add(idOf(block))
    return true
  }

  function keepsServerResult(block: ContentBlock): boolean {
    const id = answeredBy(block)
    if (!calls.has(id) || answered.has(id)) return false
    answered.add(id)
    return true
  }

  function filterAnswer({ content }: Message, index: number): readonly ContentBlock[] {
    const results = new Set(turns[index + 1]?.content.filter(isResult).map(answeredBy))
    asked = new Set()
    if (!isBegun) {
      place += content.length
      return []
    }
    const kept = content.filter((block) => {
      place++
      if (isServerResult(block)) return keepsServerResult(block)
      if (isServerCall(block)) {
        const isAnswered = index === waiting || (lastAnswers.get(idOf(block)) ?? 0) > place
        return keepsCall(block, isAnswered)
      }
      if (!isCall(block)) return true
      if (!keepsCall(block, results.has(idOf(block)))) return false
      asked.add(idOf(block))
      return true
    })
    return dropLastThoughts(kept)
  }

  function filterUserMessage({ content }: Message): readonly ContentBlock[] {
    place += content.length
    const results = content.filter((block) => isResult(block) && asked.delete(answeredBy(block)))
    const others = content.filter((block) => !isResult(block))
    isBegun ||= results.length + others.length > 0
    return [...results, ...others]
  }

  return (turn, index) =>
    turn.role === 'assistant' ? filterAnswer(turn, index) : filterUserMessage(turn)
}

/** Returns the position of the last result of each provider call, counted in blocks from 1. */
function placeServerResults(turns: readonly Message[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>()
  let place = 0
  for (const { content } of turns) {
    for (const block of content) {
      place++
      if (isServerResult(block)) places.set(answeredBy(block), place)
    }
  }
  return places
}

function dropLastThoughts(content: readonly ContentBlock[]): readonly ContentBlock[] {
  return content.slice(0, content.findLastIndex((block) => !isThought(block)) + 1)
}

function isSame<T>(one: readonly T[], other: readonly T[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index])
}
