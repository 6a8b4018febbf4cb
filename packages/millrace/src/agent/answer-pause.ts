import { MillraceError } from '../errors/index.ts'
import type { ContentBlock } from '../events/index.ts'
import { fromResultContent, toResultBlock } from '../tools/index.ts'
import type { AgentState, Pause } from './agent-state.ts'
import type { FrontendResult } from './agent.ts'
import { findResult, isResultFor } from './message-chain.ts'

/** What a result may consist of; anything else would make every later request invalid. */
const resultParts = new Set(['text', 'image', 'document', 'search_result'])

/** A state that has taken in answers of the browser. */
export interface PauseAnswer {
  readonly state: AgentState
  /** Whether the run is paused and no call is left to wait for: it can go on. */
  readonly complete: boolean
  /** Whether anything was new; false when all was known already. */
  readonly changed: boolean
}

/**
 * Keeps answers of the browser. The first answer to a call counts: the same one again changes nothing, another
 * one throws `conflict`; a call that never waited throws `not_found`. All or nothing is kept.
 */
export function answerPause(state: AgentState, results: readonly FrontendResult[]): PauseAnswer {
  const answered = results.map(toBlock).reduce(addAnswer, state)
  const { pause } = answered
  return {
    state: answered,
    complete: pause !== undefined && isComplete(pause),
    changed: answered !== state,
  }
}

/** Tells whether the browser has answered all that it was asked. */
function isComplete(pause: Pause): boolean {
  return pause.calls.every((call) => answerTo(pause, call.id) !== undefined)
}

/** The answer to a call of a pause, if it has come. */
export function answerTo(pause: Pause, toolUseId: string): ContentBlock | undefined {
  return pause.results.find((block) => isResultFor(block, toolUseId))
}

function addAnswer(state: AgentState, answer: ContentBlock): AgentState {
  const id = String(answer['tool_use_id'])
  const { pause } = state
  const isAwaited = pause?.calls.some((call) => call.id === id) === true
  const known = isAwaited ? answerTo(pause, id) : findResult(state.messages, id)
  if (known !== undefined) return sameAnswer(state, known, answer)
  if (!isAwaited) throw notAwaited(id, pause)
  return { ...state, pause: { ...pause, results: [...pause.results, answer] } }
}

function sameAnswer(state: AgentState, known: ContentBlock, answer: ContentBlock): AgentState {
  if (JSON.stringify(known) === JSON.stringify(answer)) return state
  throw new MillraceError(
    'conflict',
    `Call ${String(known['tool_use_id'])} has been answered otherwise; the first answer counts.`,
  )
}

function notAwaited(id: string, pause: Pause | undefined): MillraceError {
  const waiting = pause?.calls.map((call) => call.id).join(', ') ?? 'none'
  return new MillraceError('not_found', `No call ${id} waits for a result; waiting: ${waiting}.`)
}

function toBlock({ toolUseId, content, isError }: FrontendResult): ContentBlock {
  const foreign =
    typeof content === 'string' ? undefined : content.find(({ type }) => !resultParts.has(type))
  if (foreign === undefined) return toResultBlock(toolUseId, fromResultContent(content, isError))
  throw new MillraceError(
    'bad_request',
    `A result cannot hold a \`${foreign.type}\` block; use ${[...resultParts].join(', ')}.`,
  )
}
