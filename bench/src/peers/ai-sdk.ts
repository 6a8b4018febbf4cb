import { readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai'
import type { Work } from '../bench-case.ts'
import { demand } from '../deltas.ts'

/** The chunks as a stream that produces them on demand. */
export function streamOf(chunks: readonly UIMessageChunk[]): ReadableStream<UIMessageChunk> {
  let next = 0
  return new ReadableStream({
    pull(controller) {
      const chunk = chunks[next++]
      if (chunk === undefined) controller.close()
      else controller.enqueue(chunk)
    },
  })
}

/** Reads every state of the stream, like a page. */
function readAll(
  chunks: readonly UIMessageChunk[],
  isWhole: (message: UIMessage) => boolean,
): Work {
  return async () => {
    let last: UIMessage | undefined
    for await (const message of readUIMessageStream({ stream: streamOf(chunks) })) last = message
    demand(last !== undefined && isWhole(last), 'AI SDK')
  }
}

/** A text in deltas. */
export function aiSdkText(deltas: readonly string[]): Work {
  const text = deltas.join('')
  const chunks: UIMessageChunk[] = [
    { type: 'start' },
    { type: 'text-start', id: 't' },
    ...deltas.map((delta): UIMessageChunk => ({ type: 'text-delta', id: 't', delta })),
    { type: 'text-end', id: 't' },
    { type: 'finish' },
  ]
  return readAll(chunks, ({ parts }) =>
    parts.some((part) => part.type === 'text' && part.text === text),
  )
}

/** The arguments of a call in deltas. */
export function aiSdkToolInput(deltas: readonly string[]): Work {
  const whole = deltas.join('')
  const call = { toolCallId: 'c', toolName: 'write_file', dynamic: true } as const
  const chunks: UIMessageChunk[] = [
    { type: 'start' },
    { type: 'tool-input-start', ...call },
    ...deltas.map((delta): UIMessageChunk => ({
      type: 'tool-input-delta',
      toolCallId: 'c',
      inputTextDelta: delta,
    })),
    { type: 'tool-input-available', ...call, input: JSON.parse(whole) as unknown },
    { type: 'finish' },
  ]
  return readAll(chunks, ({ parts }) =>
    parts.some((part) => part.type === 'dynamic-tool' && JSON.stringify(part.input) === whole),
  )
}

/** Tokens of one message; earlier messages are kept elsewhere. */
export function aiSdkHistory(tokens: readonly string[]): Work {
  return aiSdkText(tokens)
}
