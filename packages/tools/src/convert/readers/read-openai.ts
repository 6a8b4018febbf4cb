import { isProviderEnd, type MessageCut, type ModelEvent } from 'millrace/anthropic'
import type { ProviderInput } from 'millrace/formatters'
import { createChatFrameReader, createChatReader } from 'millrace/openai'
import type { SseEvent } from 'millrace'
import { readFrames } from './read-frames.ts'
import { checkFormat } from '../check-format.ts'
import { connect, type Stage } from '../stage.ts'
import { CUT_MESSAGE } from '../wire-item.ts'

/** The end of a file with an incomplete message. */
const truncated: MessageCut = {
  outcome: 'interrupted',
  failure: {
    type: 'stream_truncated',
    message: 'The model’s stream ended before its message did.',
    retriable: true,
  },
}

/** Reads a stream of chat completions, or a completion that was not streamed. */
export function readOpenAI(): Stage<Uint8Array, ProviderInput> {
  return connect(readFrames(), readChunks())
}

function readChunks(): Stage<SseEvent, ModelEvent> {
  let ids = 0
  // Counted, so that the same input always has the same output.
  const reader = createChatFrameReader(createChatReader({ createId: () => `call_${++ids}` }))
  let isFirst = true
  let isCut = false
  return {
    push(frame) {
      if (isFirst) checkFormat('openai', frame.data)
      isFirst = false
      return reader.feed(frame)
    },
    end() {
      const events = reader.end(truncated)
      isCut = events.some((event) => event.type === 'message_end' && !isProviderEnd(event.outcome))
      return events
    },
    notes: () => (isCut ? [CUT_MESSAGE] : []),
  }
}
