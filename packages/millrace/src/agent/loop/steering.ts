import type { AgentEvent } from '../../events/index.ts'
import type { Checkpoint } from '../agent.ts'
import { appendMessage, settleLastAnswer } from '../state/index.ts'
import { toPromptContent } from '../prompt-content.ts'
import { checkpoint, type Run } from '../run.ts'

/** Adds the messages that users have sent since the last model call. */
export function* takeSteering(run: Run): Generator<AgentEvent | Checkpoint, void, undefined> {
  for (const prompt of run.steering.splice(0)) {
    const settled = settleLastAnswer(run.state.messages)
    const messages = appendMessage(settled, 'user', toPromptContent(prompt))
    run.state = { ...run.state, messages }
    yield checkpoint(run.state)
    yield { type: 'user_message', agent: run.state.agent, prompt }
  }
}
