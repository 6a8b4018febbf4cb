import { createSseDecoder, type SseEvent } from 'millrace'
import type { Task } from '../implementation.ts'
import { fedBytes } from './fed-pieces.ts'

/** Returns the events in the bytes of a case. */
export function decodeFrames(task: Task): readonly SseEvent[] {
  const events: SseEvent[] = []
  const decoder = createSseDecoder({ onEvent: (event) => events.push(event) })
  for (const piece of fedBytes(task)) decoder.feed(piece)
  return events
}
