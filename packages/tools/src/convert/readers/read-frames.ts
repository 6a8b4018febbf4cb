import {
  createSseDecoder,
  DONE_DATA,
  MillraceError,
  parseJsonObject,
  type SseEvent,
} from 'millrace'
import { createLineReader, type LineReader } from '../../cli/line-reader.ts'
import type { Stage } from '../stage.ts'
import { recognizeFormats } from 'millrace/dialects'
import { misuse } from '../../cli/command.ts'

/** Maximum length of a frame or line in UTF-16 units. */
const MAX_FRAME_CHARS = 64 * 1024 * 1024
const LINE_FEED = 0x0a

interface FrameStage extends Stage<Uint8Array, SseEvent> {
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

/**
 * Reads messages, one per line. If the first line is not a message, all lines together are one: an answer that was not streamed, in
 * indented JSON.
 */
function readLines(onMessage: (data: string) => void, maxChars: number): LineReader {
  let whole: string[] | undefined
  let chars = 0
  let isFirst = true

  function gather(parts: string[], line: string): void {
    parts.push(line)
    chars += line.length
    if (chars <= maxChars) return
    throw new MillraceError('frame_too_large', `A message is longer than ${maxChars} characters.`)
  }

  function onLine(line: string): void {
    if (isFirst && line !== DONE_DATA && parseJsonObject(line) === undefined) whole = []
    isFirst = false
    if (whole === undefined) onMessage(line)
    else gather(whole, line)
  }

  const lines = createLineReader(onLine, { maxLineChars: maxChars })
  return {
    feed: lines.feed,
    finish() {
      lines.finish()
      // Line ends in JSON are only between its tokens.
      if (whole !== undefined) onMessage(whole.join(' '))
    },
  }
}

/** Throws if the first data of a stream has another format than the named one. */
export function checkFormat(named: string, data: string): void {
  const found = recognizeFormats(data)
  if (found.length === 0 || found.includes(named)) return
  throw misuse(`The input looks like ${found.join(' or ')}; use --from ${found[0]}.`)
}

/** Bytes before the first letter: white space and the byte order mark. */
const silent: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf])

/** Returns the first significant character; undefined before it. */
export function firstLetter(bytes: Uint8Array): string | undefined {
  const byte = bytes.find((candidate) => !silent.has(candidate))
  return byte === undefined ? undefined : String.fromCharCode(byte)
}
