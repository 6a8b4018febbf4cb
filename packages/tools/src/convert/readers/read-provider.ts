import { parseEvent, isProviderEnd, type MessageCut, type ModelEvent } from 'millrace/anthropic'
import { MillraceError, encodeSse, type SseEvent } from 'millrace'
import type { ProviderInput } from 'millrace/formatters'
import { checkFormat, readFrames } from './read-frames.ts'
import { connect, type Stage, CUT_MESSAGE } from '../stage.ts'
import { createChatFrameReader, createChatReader } from 'millrace/openai'

/** The last events of a message; pings are ignored. */
const ends: ReadonlySet<string> = new Set(['message_stop', 'message', 'error'])

/**
 * Reads a stream of the Messages API, as server-sent events or one event per line, without changes to its data. A message that was not
 * streamed becomes its start event.
 */
export function readAnthropic(): Stage<Uint8Array, ProviderInput> {
  let count = 0
  let isOpen = false
  return connect(readFrames(), {
    push(frame: SseEvent) {
      if (count++ === 0) checkFormat('anthropic', frame.data)
      const event = nameOf(frame, count)
      if (event !== 'ping') isOpen = !ends.has(event)
      return event === 'message' ? toWhole(frame.data) : [encodeSse({ data: frame.data, event })]
    },
    end: () => [],
    notes: () => (isOpen ? [CUT_MESSAGE] : []),
  })
}

function toWhole(message: string): string[] {
  // Embedded as text: parsing would lose the precision of long numbers.
  const start = `{"type":"message_start","message":${message}}`
  return [
    encodeSse({ event: 'message_start', data: start }),
    encodeSse({ event: 'message_stop', data: '{"type":"message_stop"}' }),
  ]
}

/** Returns the name of an event, which lines lack. */
function nameOf(frame: SseEvent, count: number): string {
  if (frame.event !== undefined) return frame.event
  const event = parseEvent(frame)
  if (typeof event?.['type'] === 'string') return event['type']
  throw new MillraceError(
    'protocol_violation',
    `Event ${count} of the input is not an event of the Messages API: ${JSON.stringify(frame.data.slice(0, 80))}`,
  )
}

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
