import {
  type BaseEvent,
  defaultApplyEvents,
  EventType,
  HttpAgent,
  type Message,
  type RunAgentInput,
} from '@ag-ui/client'
import { from } from 'rxjs'
import type { Work } from '../bench-case.ts'
import { demand } from '../deltas.ts'

/** Applies events to a conversation and reads every state, like its own client. */
function applyAll(
  events: readonly BaseEvent[],
  history: readonly Message[],
  isWhole: (messages: readonly Message[]) => boolean,
): Work {
  return async () => {
    const input: RunAgentInput = {
      threadId: 't',
      runId: 'r',
      messages: [...history],
      state: {},
      tools: [],
      context: [],
      forwardedProps: {},
    }
    const agent = new HttpAgent({ url: 'http://127.0.0.1:9', initialMessages: [...history] })
    let last: readonly Message[] = []
    const next = ({ messages }: { messages?: readonly Message[] | undefined }) => {
      last = messages ?? last
    }
    await new Promise<void>((complete, error) => {
      defaultApplyEvents(input, from(events), agent, []).subscribe({ next, complete, error })
    })
    demand(isWhole(last), 'AG-UI')
  }
}

function textEvents(deltas: readonly string[]): BaseEvent[] {
  return [
    { type: EventType.RUN_STARTED, threadId: 't', runId: 'r' },
    { type: EventType.TEXT_MESSAGE_START, messageId: 'm', role: 'assistant' },
    ...deltas.map((delta) => ({ type: EventType.TEXT_MESSAGE_CONTENT, messageId: 'm', delta })),
    { type: EventType.TEXT_MESSAGE_END, messageId: 'm' },
    { type: EventType.RUN_FINISHED, threadId: 't', runId: 'r' },
  ] as BaseEvent[]
}

/** A text in deltas. */
export function agUiText(deltas: readonly string[]): Work {
  return agUiHistory(deltas, 0, '')
}

/** A text in deltas after a history of messages. */
export function agUiHistory(deltas: readonly string[], count: number, content: string): Work {
  const text = deltas.join('')
  const history = Array.from({ length: count }, (_, index): Message => ({
    id: `h${index}`,
    role: index % 2 === 0 ? 'user' : 'assistant',
    content,
  }))
  return applyAll(textEvents(deltas), history, (messages) =>
    messages.some((message) => message.id === 'm' && message.content === text),
  )
}

/** The arguments of a call in deltas. */
export function agUiToolInput(deltas: readonly string[]): Work {
  const whole = deltas.join('')
  const events = [
    { type: EventType.RUN_STARTED, threadId: 't', runId: 'r' },
    { type: EventType.TOOL_CALL_START, toolCallId: 'c', toolCallName: 'write_file' },
    ...deltas.map((delta) => ({ type: EventType.TOOL_CALL_ARGS, toolCallId: 'c', delta })),
    { type: EventType.TOOL_CALL_END, toolCallId: 'c' },
    { type: EventType.RUN_FINISHED, threadId: 't', runId: 'r' },
  ] as BaseEvent[]
  return applyAll(events, [], (messages) =>
    messages.some(
      (message) =>
        message.role === 'assistant' && message.toolCalls?.[0]?.function.arguments === whole,
    ),
  )
}
