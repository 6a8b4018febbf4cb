import { type ContentBlock, isCall } from '../../events/index.ts'
import { errorAnswer, toResultBlock } from '../../tools/index.ts'
import { type AgentState, appendMessage } from '../state/index.ts'

/**
 * Appends the results of the last message's calls, in their order. A call without an answer gets an error with the text `missing`, so
 * that the conversation stays valid.
 */
export function closeTurn(state: AgentState, missing: string): AgentState {
  const { turn, pause: _, ...rest } = state
  const decisions = turn?.decisions && { ...state.decisions, ...turn.decisions }
  const ready = new Map(
    [...(turn?.answers ?? []), ...(turn?.results ?? [])].map((block) => [
      block['tool_use_id'],
      block,
    ]),
  )
  const results = lastCalls(state).map(
    ({ id = '' }) => ready.get(id) ?? toResultBlock(String(id), errorAnswer(missing)),
  )
  const messages = appendMessage(state.messages, 'user', results)
  return { ...rest, messages, ...(decisions && { decisions }) }
}

function lastCalls({ messages }: AgentState): readonly ContentBlock[] {
  const last = messages.at(-1)
  return last?.role === 'assistant' ? last.content.filter(isCall) : []
}
