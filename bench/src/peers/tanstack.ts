import { EventType, type StreamChunk, StreamProcessor, type UIMessage } from '@tanstack/ai'
import type { Work } from '../bench-case.ts'
import { demand } from '../deltas.ts'

/** Processes chunks and reads every state, like its own client. */
function processAll(
  chunks: readonly StreamChunk[],
  history: UIMessage[],
  isWhole: (messages: readonly UIMessage[]) => boolean,
): Work {
  return () => {
    let last: readonly UIMessage[] = []
    const processor = new StreamProcessor({
      initialMessages: history,
      events: { onMessagesChange: (messages) => (last = messages) },
    })
    processor.prepareAssistantMessage()
    for (const chunk of chunks) processor.processChunk(chunk)
    processor.finalizeStream()
    demand(isWhole(last), 'TanStack AI')
  }
}

function textChunks(deltas: readonly string[]): StreamChunk[] {
  return [
    { type: EventType.RUN_STARTED, threadId: 't', runId: 'r' },
    { type: EventType.TEXT_MESSAGE_START, messageId: 'm', role: 'assistant' },
    ...deltas.map((delta) => ({ type: EventType.TEXT_MESSAGE_CONTENT, messageId: 'm', delta })),
    { type: EventType.TEXT_MESSAGE_END, messageId: 'm' },
    { type: EventType.RUN_FINISHED, threadId: 't', runId: 'r', finishReason: 'stop' },
  ] as StreamChunk[]
}

/** A text in deltas. */
export function tanstackText(deltas: readonly string[]): Work {
  return tanstackHistory(deltas, 0, '')
}

/** A text in deltas after a history of messages. */
export function tanstackHistory(deltas: readonly string[], count: number, content: string): Work {
  const text = deltas.join('')
  const history: UIMessage[] = Array.from({ length: count }, (_, index) => ({
    id: `h${index}`,
    role: index % 2 === 0 ? 'user' : 'assistant',
    parts: [{ type: 'text', content }],
  }))
  return processAll(textChunks(deltas), history, (messages) =>
    messages.some(({ parts }) =>
      parts.some((part) => part.type === 'text' && part.content === text),
    ),
  )
}

/** The arguments of a call in deltas. */
export function tanstackToolInput(deltas: readonly string[]): Work {
  const whole = deltas.join('')
  const chunks = [
    { type: EventType.RUN_STARTED, threadId: 't', runId: 'r' },
    {
      type: EventType.TOOL_CALL_START,
      toolCallId: 'c',
      toolCallName: 'write_file',
      toolName: 'write_file',
    },
    ...deltas.map((delta) => ({ type: EventType.TOOL_CALL_ARGS, toolCallId: 'c', delta })),
    {
      type: EventType.TOOL_CALL_END,
      toolCallId: 'c',
      toolCallName: 'write_file',
      toolName: 'write_file',
    },
    { type: EventType.RUN_FINISHED, threadId: 't', runId: 'r', finishReason: 'tool_calls' },
  ] as StreamChunk[]
  return processAll(chunks, [], (messages) =>
    messages.some(({ parts }) =>
      parts.some((part) => part.type === 'tool-call' && part.arguments === whole),
    ),
  )
}
