import { parseEvent } from 'millrace/anthropic'
import { MillraceError } from 'millrace'
import type { ProviderInput } from 'millrace/formatters'
import { encodeSse, type SseEvent } from 'millrace'
import { readFrames } from './read-frames.ts'
import { checkFormat } from '../check-format.ts'
import { connect, type Stage } from '../stage.ts'
import { CUT_MESSAGE } from '../wire-item.ts'

/** What a message may end with; a ping says nothing. */
const ends: ReadonlySet<string> = new Set(['message_stop', 'message', 'error'])

/**
 * Reads a stream of the Messages API, as server-sent events or one event a line; its data stays as it is. A message
 * that was not streamed is one that stands whole in its start.
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
  // Not parsed and written again: numbers may be longer than JavaScript has them.
  const start = `{"type":"message_start","message":${message}}`
  return [
    encodeSse({ event: 'message_start', data: start }),
    encodeSse({ event: 'message_stop', data: '{"type":"message_stop"}' }),
  ]
}

/** The name that readers of server-sent events go by; lines do not have one. */
function nameOf(frame: SseEvent, count: number): string {
  if (frame.event !== undefined) return frame.event
  const event = parseEvent(frame)
  if (typeof event?.['type'] === 'string') return event['type']
  throw new MillraceError(
    'protocol_violation',
    `Event ${count} of the input is no event of the Messages API: ${JSON.stringify(frame.data.slice(0, 80))}`,
  )
}
