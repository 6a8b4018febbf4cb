import { MillraceError } from 'millrace'

/** A reader of lines. */
export type LineReader = ReturnType<typeof createLineReader>

/**
 * Creates a reader that splits UTF-8 bytes at LF and skips empty lines. `node:readline` also splits at U+2028, which
 * JSON leaves unescaped.
 */
export function createLineReader(
  onLine: (line: string) => void,
  { maxLineChars = 8 * 1024 * 1024 } = {},
) {
  const decoder = new TextDecoder()
  let pieces: string[] = []
  let length = 0

  function add(piece: string): void {
    pieces.push(piece)
    length += piece.length
    if (length <= maxLineChars) return
    throw new MillraceError('frame_too_large', `A line is longer than ${maxLineChars} characters.`)
  }

  function end(): void {
    const line = pieces.join('').trimEnd()
    pieces = []
    length = 0
    if (line !== '') onLine(line)
  }

  function take(text: string): void {
    const [first = '', ...others] = text.split('\n')
    add(first)
    for (const piece of others) {
      end()
      add(piece)
    }
  }

  return {
    feed: (bytes: Uint8Array) => take(decoder.decode(bytes, { stream: true })),
    finish: () => take(`${decoder.decode()}\n`),
  }
}
