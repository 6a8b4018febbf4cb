import { createSseDecoder } from 'millrace'
import type { FrameTime } from '../session/frames/index.ts'
import type { ItemReader, RecordedItem } from './recorded-item.ts'

/** The longest message of a file, in UTF-16 units. */
const MAX_MESSAGE_CHARS = 32 * 1024 * 1024

/** Comment with the time of the next frames; see `encode-frames.ts`. */
const timePattern = /^at (\d+(?:\.\d+)?)(?: (\d+(?:\.\d+)?))?$/

/** Reads a file of server-sent events with times in comments. */
export function readSse(): ItemReader {
  let items: RecordedItem[] = []
  let when: FrameTime = { isTimed: false }
  const decoder = createSseDecoder({
    maxFrameChars: MAX_MESSAGE_CHARS,
    onComment(comment) {
      const [, time, since] = timePattern.exec(comment.trim()) ?? []
      if (comment.trim() === 'at unknown') when = { isTimed: false }
      if (time === undefined) return
      when = { time: Number(time), ...(since !== undefined && { since: Number(since) }) }
    },
    onEvent({ id, data, event }) {
      items.push({ id: id ? Number(id) : undefined, data, event, ...when })
    },
  })
  const take = (): RecordedItem[] => {
    const taken = items
    items = []
    return taken
  }
  return {
    feed(text) {
      decoder.feed(text)
      return take()
    },
    finish() {
      // A file may lack the empty line after its last event.
      decoder.feed('\n\n')
      return take()
    },
  }
}
