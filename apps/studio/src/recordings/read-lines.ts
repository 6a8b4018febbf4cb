import { readField, readNumber } from '../json/index.ts'
import { unreadable } from './recorded-item.ts'
import type { ItemReader, RecordedItem } from './recorded-item.ts'

/** Splits text into lines, in any chunks. */
export interface LineCutter {
  readonly feed: (text: string) => string[]
  /** Returns the last line unless it is blank. */
  readonly finish: () => string[]
}

/** Creates a splitter for a new file. */
export function createLineCutter(): LineCutter {
  let held: string[] = []
  return {
    feed(text) {
      const lines = text.split('\n')
      const rest = lines.pop() ?? ''
      if (lines.length > 0) {
        lines[0] = held.join('') + (lines[0] ?? '')
        held = []
      }
      held.push(rest)
      return lines
    },
    finish: () => (held.join('').trim() === '' ? [] : [held.join('')]),
  }
}

/** Reads messages or events, one per line, with or without an id. */
export function readLines(): ItemReader {
  const cutter = createLineCutter()
  const take = (lines: readonly string[]): RecordedItem[] => lines.flatMap(toItem)
  return { feed: (text) => take(cutter.feed(text)), finish: () => take(cutter.finish()) }
}

const messages = '"messages":['

/** Reads the document of `millrace sessions export --format json`, which has one message per line. */
export function readDocument(): ItemReader {
  const cutter = createLineCutter()
  let isInside = false
  const take = (lines: readonly string[]): RecordedItem[] =>
    lines.flatMap((line) => {
      if (isInside) return toItem(line)
      isInside = line.trimEnd().endsWith(messages)
      return []
    })
  return { feed: (text) => take(cutter.feed(text)), finish: () => take(cutter.finish()) }
}

const wrapped = /^\{"id":(\d+),"message":/

function toItem(line: string): RecordedItem[] {
  const text = line
    .trim()
    .replace(/,$/, '')
    .replace(/\}\]\}$/, '}')
  if (text === '' || text === ']}') return []
  const wrapper = wrapped.exec(text)
  // The line is cut out and not parsed, so that it is shown as it was.
  if (wrapper) {
    return [{ id: Number(wrapper[1]), data: text.slice(wrapper[0].length, -1), isTimed: false }]
  }
  return [{ data: text, isTimed: false }]
}

/** Reads such a document in any layout. */
export function readWholeDocument(text: string, name: string): RecordedItem[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw unreadable(name, 'it is truncated or not JSON.')
  }
  const found = readField(value, 'messages')
  if (!Array.isArray(found)) return []
  return (found as readonly unknown[]).map((each) => ({
    id: readNumber(each, 'id'),
    data: JSON.stringify(readField(each, 'message')),
    isTimed: false,
  }))
}
