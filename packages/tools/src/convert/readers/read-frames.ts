import { createSseDecoder, type SseEvent } from 'millrace'
import type { LineReader } from '../../cli/line-reader.ts'
import { firstLetter } from '../first-letter.ts'
import { readLines } from './read-lines.ts'
import type { Stage } from '../stage.ts'

/** Maximum length of a frame or line in UTF-16 units. */
const MAX_FRAME_CHARS = 64 * 1024 * 1024
const LINE_FEED = 0x0a

/** A source of frames. */
export interface FrameStage extends Stage<Uint8Array, SseEvent> {
  /** Whether each frame was a line, as in stored streams. */
  readonly isLines: boolean
}

/** Reads server-sent events, or the data of one event per line, which starts with a bracket. */
export function readFrames(): FrameStage {
  let frames: SseEvent[] = []
  let isLines = false
  let source: LineReader | undefined
  const add = (frame: SseEvent): void => void frames.push(frame)
  const addData = (data: string): void => add({ data, event: undefined, id: undefined })

  function take(): SseEvent[] {
    const taken = frames
    frames = []
    return taken
  }

  return {
    get isLines() {
      return isLines
    },
    push(bytes) {
      const letter = source === undefined ? firstLetter(bytes) : ''
      if (letter === undefined) return []
      isLines ||= letter === '{' || letter === '['
      source ??= isLines ? readLines(addData, MAX_FRAME_CHARS) : readSse(add)
      source.feed(bytes)
      return take()
    },
    end() {
      source?.finish()
      return take()
    },
  }
}

function readSse(onEvent: (frame: SseEvent) => void): LineReader {
  const decoder = createSseDecoder({ onEvent, maxFrameChars: MAX_FRAME_CHARS })
  let last: number | undefined
  return {
    feed(bytes) {
      decoder.feed(bytes)
      last = bytes.at(-1) ?? last
    },
    // Many files lack the blank line after their last event; its data is complete if its line is.
    finish() {
      if (last === LINE_FEED) decoder.feed('\n')
    },
  }
}
