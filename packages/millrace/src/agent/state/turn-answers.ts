import type { ContentBlock } from '../../events/index.ts'
import type { Decision, OpenTurn } from './agent-state.ts'
import { isResultFor } from './message-chain.ts'

/** Returns the browser's answer to a call, if it has arrived and was not emitted yet. */
export function answerTo({ answers = [] }: OpenTurn, callId: string): ContentBlock | undefined {
  return answers.find((block) => isResultFor(block, callId))
}

/** Returns the decision on a call. */
export function decisionOn({ decisions = {} }: OpenTurn, callId: string): Decision | undefined {
  return Object.hasOwn(decisions, callId) ? decisions[callId] : undefined
}
