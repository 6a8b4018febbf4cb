import { MillraceError } from 'millrace'
import { parseJsonObject } from 'millrace'
import { DONE_DATA } from 'millrace'
import { createLineReader, type LineReader } from '../../cli/line-reader.ts'

/**
 * Reads messages that stand one a line. Where the first line is no message by itself, all lines are one: an answer
 * that was not streamed, as servers lay it out for people.
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
      // Line ends in JSON stand between its words only.
      if (whole !== undefined) onMessage(whole.join(' '))
    },
  }
}
