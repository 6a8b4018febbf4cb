import { parseEvent } from 'millrace/anthropic'
import { MillraceError, encodeSse, type SseEvent } from 'millrace'
import type { ProviderInput } from 'millrace/formatters'
import { readFrames } from './read-frames.ts'
import { checkFormat } from '../check-format.ts'
import { connect, type Stage } from '../stage.ts'
import { CUT_MESSAGE } from '../wire-item.ts'

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
