import { MillraceError } from 'millrace'
import { parseJsonObject } from 'millrace'
import { DONE_DATA } from 'millrace'
import { createLineReader, type LineReader } from '../../cli/line-reader.ts'

/**
 * Reads messages, one per line. If the first line is not a message, all lines together are one: an answer that was not streamed, in
 * indented JSON.
 */
export function readLines(onMessage: (data: string) => void, maxChars: number): LineReader {
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
