import { isAnnounced, opensSecret } from './announced.ts'
import { createPrivateKeyReader } from './private-key.ts'
import { findShapes, type Span } from './secret-shapes.ts'

/** Masks the bytes from one place to before another. */
export type Cover = (from: number, to: number) => void

/** What a scanner looks for, and whom it tells. */
export interface SecretScannerOptions {
  /** Texts that are secret whatever they look like, such as the key that a request was made with. */
  readonly known?: readonly string[]
  readonly cover: Cover
}

/** Collects the words of a text, with what stands between them, and covers those that are secret. */
export interface WordReader {
  /** Adds a unit to the word; gives whether the rest of the word is secret, however long it is. */
  add(code: number, from: number, to: number): boolean
  /** Ends the word; gives whether it was the beginning of a value that is secret. */
  end(): boolean
  /** Takes what stands between words. */
  separate(text: string): void
  /** Forgets what stands before. */
  forget(): void
  /** Whether a quote that comes now opens a text that is secret as a whole. */
  opensSecret(): boolean
  /** The first byte of a word that is not over, or Infinity. */
  heldFrom(): number
}

/** The longest word that is looked at as a whole; of a longer one this much is kept to look across. */
const maxWordChars = 2048
const overlapChars = 1024

/** What may stand between a name and its value. */
const maxGapChars = 8

/** Creates a reader of the words of one text. */
export function createWordReader({ known = [], cover }: SecretScannerOptions): WordReader {
  const keys = createPrivateKeyReader()
  // The word that is not over yet, and where each unit of it begins and ends in the bytes.
  let word = ''
  const starts = new Float64Array(maxWordChars)
  const ends = new Float64Array(maxWordChars)
  let name = ''
  /** The unit before the name, and the one before the current word. */
  let nameLead = ''
  let wordLead = ''
  let gap = ''

  function findSecrets(): Span[] {
    if (keys.take(word)) return [wholeOf(word)]
    const spans = findShapes(word)
    for (const text of known) spans.push(...findAll(word, text))
    return spans
  }

  function coverSpan({ from, to }: Span): void {
    for (let at = from; at < to; at++) cover(starts[at] ?? 0, ends[at] ?? 0)
  }

  /** Looks at the beginning of a word that does not end, which is mostly an image. */
  function shorten(): boolean {
    const spans = isAnnounced(word, { name, gap, lead: nameLead }) ? [wholeOf(word)] : findSecrets()
    for (const span of spans) coverSpan(span)
    const isOpen = spans.some(({ to }) => to === word.length)
    const dropped = isOpen ? word.length : word.length - overlapChars
    for (const list of [starts, ends]) list.copyWithin(0, dropped)
    word = word.slice(dropped)
    name = ''
    return isOpen
  }

  return {
    add(code, from, to) {
      starts[word.length] = from
      ends[word.length] = to
      word += String.fromCharCode(code)
      return word.length === maxWordChars && shorten()
    },
    end() {
      if (word === '') return false
      const isValue = isAnnounced(word, { name, gap, lead: nameLead })
      for (const span of isValue ? [wholeOf(word)] : findSecrets()) coverSpan(span)
      name = word
      nameLead = wordLead
      gap = ''
      word = ''
      return isValue
    },
    separate(text) {
      wordLead = text
      if (gap.length < maxGapChars) gap += text
      else name = ''
    },
    forget() {
      name = ''
    },
    opensSecret: () => opensSecret({ name, gap, lead: nameLead }),
    heldFrom: () => (word === '' ? Infinity : (starts[0] ?? 0)),
  }
}

function wholeOf({ length }: string): Span {
  return { from: 0, to: length }
}

function findAll(word: string, text: string): Span[] {
  const spans: Span[] = []
  // Of a secret that is longer than what can be searched for, only the beginning is known.
  const isCut = text.length > overlapChars
  const known = isCut ? text.slice(0, overlapChars) : text
  for (let at = word.indexOf(known); at !== -1; at = word.indexOf(known, at + known.length)) {
    spans.push({ from: at, to: isCut ? word.length : at + known.length })
  }
  return spans
}
