import { detach } from './detach.ts'

/** About how much text one chunk holds: small enough to lay out again in no time. */
const CHUNK_LENGTH = 4_000

/** A text in pieces, of which only the last still changes. */
export interface ChunkedText {
  readonly chunks: readonly string[]
  readonly tail: string
}

/** Cuts a text that grows at its end into chunks. */
export interface TextChunker {
  /** Takes the whole text so far; a text that is not the old one grown starts afresh. */
  update(text: string): ChunkedText
}

/** Creates a chunker at the beginning of a text. */
export function createTextChunker(): TextChunker {
  let chunks: string[] = []
  let end = 0
  return {
    update(text) {
      const last = chunks.at(-1) ?? ''
      if (!text.startsWith(last, end - last.length) || text.length < end) {
        chunks = []
        end = 0
      }
      while (text.length - end > CHUNK_LENGTH) {
        const next = cutAfter(text, end)
        chunks.push(detach(text.slice(end, next)))
        end = next
      }
      return { chunks, tail: text.slice(end) }
    },
  }
}

/** Where a chunk that begins here ends: after a line if there is one in its second half. */
function cutAfter(text: string, start: number): number {
  const lineEnd = text.indexOf('\n', start + CHUNK_LENGTH / 2) + 1
  if (lineEnd > 0 && lineEnd - start <= CHUNK_LENGTH) return lineEnd
  const end = start + CHUNK_LENGTH
  // Not between the halves of a character.
  return /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end - 1 : end
}
