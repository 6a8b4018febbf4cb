import { createRandomNumbers } from './random-numbers.ts'

/** A way to cut a text, with the number it needs, if it needs one. */
export interface Chunking {
  readonly kind: ChunkingKind
  /** How long a chunk is, or the seed of the random lengths. */
  readonly number: number
}

/** What the page says of a way to cut, and how it is done. */
export interface ChunkingTraits {
  readonly label: string
  /** What its number is called and what it may be. */
  readonly number?: { readonly label: string; readonly least: number; readonly most: number }
  /** Where the chunk that begins here ends. */
  readonly createCutter: (number: number) => (text: string, from: number) => number
}

const token = / ?[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]+|\s+/uy

/** The longest piece of a token, so that long words and markers arrive in several. */
const MAX_TOKEN_LENGTH = 7

/** The ways to cut a text. */
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

/** The name of a way to cut. */
export type ChunkingKind = keyof typeof chunkings

/** Whether a word names a way to cut. */
export function isChunkingKind(word: string): word is ChunkingKind {
  return Object.hasOwn(chunkings, word)
}

/** What is known of a way to cut. */
export function traitsOf(kind: ChunkingKind): ChunkingTraits {
  return chunkings[kind]
}

/** Where each chunk of a text ends; no character is cut in two. */
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

/** The same place, or the next if it is between the halves of a character. */
function toWholeCharacter(text: string, end: number): number {
  if (end >= text.length) return text.length
  const before = text.charCodeAt(end - 1)
  const after = text.charCodeAt(end)
  const splits = before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff
  return splits ? end + 1 : end
}
