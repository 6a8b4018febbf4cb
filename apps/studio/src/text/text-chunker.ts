import { detach } from './detach.ts'

/** The approximate length of a chunk, short enough for a fast layout. */
const CHUNK_LENGTH = 2_000

/** A text in chunks, of which only the last one changes. */
export interface ChunkedText {
  /** Complete lines; only a line longer than a chunk has several. */
  readonly blocks: readonly (readonly string[])[]
  /** Chunks of a long line that has not ended. */
  readonly open: readonly string[]
  readonly tail: string
}

/** Splits a growing text into chunks. */
export interface TextChunker {
  /** Takes the whole text so far; a text that is not an extension starts again. */
  update(text: string): ChunkedText
}

/** Creates a chunker for an empty text. */
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

/** Returns the chunk at an offset, up to its last line break if it has one. */
function cutChunk(text: string, start: number): string {
  const chunk = detach(text.slice(start, start + CHUNK_LENGTH))
  const lineEnd = chunk.lastIndexOf('\n') + 1
  if (lineEnd > 0) return detach(chunk.slice(0, lineEnd))
  // A surrogate pair is not split.
  return /[\ud800-\udbff]$/.test(chunk) ? detach(chunk.slice(0, -1)) : chunk
}
