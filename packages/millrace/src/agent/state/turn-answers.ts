import type { ContentBlock } from '../../events/index.ts'
import type { Decision, OpenTurn } from './agent-state.ts'
import { isResultFor } from './message-chain.ts'

/** The browser's answer to a call, if it has come and was not told yet. */
export function answerTo({ answers = [] }: OpenTurn, toolUseId: string): ContentBlock | undefined {
  return answers.find((block) => isResultFor(block, toolUseId))
}

/** What was decided on a call, if anything was. */
export function decisionOn({ decisions = {} }: OpenTurn, toolUseId: string): Decision | undefined {
  return Object.hasOwn(decisions, toolUseId) ? decisions[toolUseId] : undefined
}
