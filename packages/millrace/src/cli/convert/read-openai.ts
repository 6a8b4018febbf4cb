import { isProviderEnd, type ModelEvent } from '../../events/index.ts'
import type { ProviderInput } from '../../formatters/index.ts'
import { truncated } from '../../models/stream/index.ts'
import { createChatFrameReader, createChatReader } from '../../models/openai/index.ts'
import type { SseEvent } from '../../sse/index.ts'
import { readFrames } from './read-frames.ts'
import { checkFormat } from './check-format.ts'
import { connect, type Stage } from './stage.ts'
import { CUT_MESSAGE } from './wire-item.ts'

/** Reads a stream of chat completions, or a completion that was not streamed. */
export function readOpenAI(): Stage<Uint8Array, ProviderInput> {
  return connect(readFrames(), readChunks())
}

function readChunks(): Stage<SseEvent, ModelEvent> {
  let ids = 0
  // Counted, so that the same input always gives the same output.
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
