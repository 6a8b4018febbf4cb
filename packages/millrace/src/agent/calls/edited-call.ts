import type { AnnouncedCall } from '../../events/index.ts'
import type { ToolAnswer } from '../../tools/index.ts'
import { type OpenTurn, decisionOn } from '../state/index.ts'

/** Returns a call with the arguments that a user has approved, if they differ from the model's. */
export function decidedCall(turn: OpenTurn | undefined, call: AnnouncedCall): AnnouncedCall {
  const inputText = turn && decisionOn(turn, call.id)?.inputText
  return inputText === undefined ? call : { ...call, inputText }
}

/** Adds a note to the result of a call whose arguments a user has changed, for the model. */
export function withEdit(answer: ToolAnswer, inputText: string | undefined): ToolAnswer {
  if (inputText === undefined) return answer
  const note = `The user changed the arguments before the tool ran: ${inputText}`
  const content =
    typeof answer.content === 'string'
      ? `${note}\n${answer.content}`
      : [{ type: 'text', text: note }, ...answer.content]
  return { ...answer, text: `${note}\n${answer.text}`, content }
}
