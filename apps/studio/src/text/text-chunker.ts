import { detach } from './detach.ts'

/** About how much text one chunk holds: small enough to lay out again in no time. */
const CHUNK_LENGTH = 2_000

/** A text in pieces, of which only the last still changes. */
export interface ChunkedText {
  /** Whole lines, each block in chunks: only a line that is longer than a chunk makes more than one. */
  readonly blocks: readonly (readonly string[])[]
  /** The chunks of a long line that has not ended. */
  readonly open: readonly string[]
  readonly tail: string
}

/** Cuts a text that grows at its end into chunks. */
export interface TextChunker {
  /** Takes the whole text so far; a text that is not the old one grown starts afresh. */
  update(text: string): ChunkedText
}

/** Creates a chunker at the beginning of a text. */
export function createTextChunker(): TextChunker {
  let blocks: (readonly string[])[] = []
  let open: readonly string[] = []
  let end = 0
  return {
    update(text) {
      const last = open.at(-1) ?? blocks.at(-1)?.at(-1) ?? ''
      if (!text.startsWith(last, end - last.length) || text.length < end) {
        blocks = []
        open = []
        end = 0
      }
      while (text.length - end > CHUNK_LENGTH) {
        const chunk = cutChunk(text, end)
        end += chunk.length
        open = [...open, chunk]
        if (!chunk.endsWith('\n')) continue
        blocks.push(open)
        open = []
      }
      return { blocks, open, tail: text.slice(end) }
    },
  }
}

/** The chunk that begins here: up to the last end of a line in it if there is one. */
function cutChunk(text: string, start: number): string {
  const chunk = detach(text.slice(start, start + CHUNK_LENGTH))
  const lineEnd = chunk.lastIndexOf('\n') + 1
  if (lineEnd > 0) return detach(chunk.slice(0, lineEnd))
  // Not between the halves of a character.
  return /[\ud800-\udbff]$/.test(chunk) ? detach(chunk.slice(0, -1)) : chunk
}
