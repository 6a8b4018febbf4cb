import type { AwaitedCall } from '../../events/index.ts'
import type { ToolAnswer } from '../../tools/index.ts'
import { type OpenTurn, decisionOn } from '../state/index.ts'

/** A call as it is to be run: with the arguments that a person has approved, where they are not the model's own. */
export function decidedCall(turn: OpenTurn | undefined, call: AwaitedCall): AwaitedCall {
  const inputText = turn && decisionOn(turn, call.id)?.inputText
  return inputText === undefined ? call : { ...call, inputText }
}

/** The model must know that its call was run with other arguments than its own. */
export function withEdit(answer: ToolAnswer, inputText: string | undefined): ToolAnswer {
  if (inputText === undefined) return answer
  const note = `The user changed the arguments before the tool ran: ${inputText}`
  const content =
    typeof answer.content === 'string'
      ? `${note}\n${answer.content}`
      : [{ type: 'text', text: note }, ...answer.content]
  return { ...answer, text: `${note}\n${answer.text}`, content }
}
