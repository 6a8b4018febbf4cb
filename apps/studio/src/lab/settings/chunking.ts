import { createRandomNumbers } from './random-numbers.ts'

/** A way to split a text, with its parameter. */
export interface Chunking {
  readonly kind: ChunkingKind
  /** Length of a chunk, or seed of random lengths. */
  readonly number: number
}

/** Label and implementation of a chunking. */
export interface ChunkingTraits {
  readonly label: string
  /** Label and bounds of the parameter. */
  readonly number?: { readonly label: string; readonly least: number; readonly most: number }
  /** Returns the end of the chunk that begins at an offset. */
  readonly createCutter: (number: number) => (text: string, from: number) => number
}

const token = / ?[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]+|\s+/uy

/** The longest piece of a token, so that long words arrive in several pieces. */
const MAX_TOKEN_LENGTH = 7

/** All chunkings. */
export const chunkings = {
  tokens: {
    label: 'Like tokens',
    number: { label: 'Seed', least: 0, most: 999_999 },
    createCutter: (seed) => {
      const random = createRandomNumbers(seed)
      return (text, from) => {
        token.lastIndex = from
        const length = token.exec(text)?.[0].length ?? 1
        return from + Math.min(length, 1 + Math.floor(random() * MAX_TOKEN_LENGTH))
      }
    },
  },
  character: { label: 'Character by character', createCutter: () => (_, from) => from + 1 },
  size: {
    label: 'Chunks of one length',
    number: { label: 'Characters', least: 1, most: 100_000 },
    createCutter: (size) => (_, from) => from + size,
  },
  lines: {
    label: 'Line by line',
    createCutter: () => (text, from) => {
      const end = text.indexOf('\n', from)
      return end === -1 ? text.length : end + 1
    },
  },
  whole: { label: 'Whole', createCutter: () => (text) => text.length },
} as const satisfies Readonly<Record<string, ChunkingTraits>>

/** Name of a chunking. */
export type ChunkingKind = keyof typeof chunkings

/** Reports whether a word names a chunking. */
export function isChunkingKind(word: string): word is ChunkingKind {
  return Object.hasOwn(chunkings, word)
}

/** Returns the traits of a chunking. */
export function traitsOf(kind: ChunkingKind): ChunkingTraits {
  return chunkings[kind]
}

/** Returns the end of each chunk; characters are not split. */
export function cutText(text: string, { kind, number }: Chunking): readonly number[] {
  const { number: bounds, createCutter } = traitsOf(kind)
  const cut = createCutter(
    bounds === undefined ? number : Math.min(bounds.most, Math.max(bounds.least, number)),
  )
  const ends: number[] = []
  for (let from = 0; from < text.length; from = ends.at(-1) ?? text.length) {
    ends.push(toWholeCharacter(text, cut(text, from)))
  }
  return ends
}

/** Returns an offset, moved out of a surrogate pair. */
function toWholeCharacter(text: string, end: number): number {
  if (end >= text.length) return text.length
  const before = text.charCodeAt(end - 1)
  const after = text.charCodeAt(end)
  const splits = before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff
  return splits ? end + 1 : end
}
