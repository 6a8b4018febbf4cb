import { encodeSse } from 'millrace'
import { toolCall } from './content.ts'
import type { Playing } from './playing.ts'

const toolCallId = toolCall.id
const toolName = toolCall.name
const id = 'text_bench'

/** The start, delta and end of a block in the AI SDK's UI message stream. */
const chunks = {
  text: {
    start: () => ({ type: 'text-start', id }),
    delta: (delta: string) => ({ type: 'text-delta', id, delta }),
    end: () => ({ type: 'text-end', id }),
  },
  tool: {
    start: () => ({ type: 'tool-input-start', toolCallId, toolName }),
    delta: (inputTextDelta: string) => ({ type: 'tool-input-delta', toolCallId, inputTextDelta }),
    end: (text: string) => ({
      type: 'tool-input-available',
      toolCallId,
      toolName,
      input: JSON.parse(text) as unknown,
    }),
  },
}

/** The current stream, in the format that `useChat` reads. */
export function createChatResponse(playing: Playing): Response {
  const frames = toFrames(playing)
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { value, done } = await frames.next()
      if (done === true) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    cancel: async () => void (await frames.return(undefined)),
  })
  const headers = {
    'content-type': 'text/event-stream',
    'x-vercel-ai-ui-message-stream': 'v1',
  }
  return new Response(body, { headers })
}

async function* toFrames({ content, pieces }: Playing): AsyncGenerator<string, void> {
  const { start, delta, end } = chunks[content.kind]
  for (const type of ['start', 'start-step']) yield encodeChunk({ type })
  yield encodeChunk(start())
  for await (const piece of pieces()) yield encodeChunk(delta(piece))
  yield encodeChunk(end(content.pieces.join('')))
  for (const type of ['finish-step', 'finish']) yield encodeChunk({ type })
  yield encodeSse({ data: '[DONE]' })
}

function encodeChunk(chunk: object): string {
  return encodeSse({ data: JSON.stringify(chunk) })
}
