import { isCredentialParameter, isScheme, meaningOf } from './secret-names.ts'
import { findShapes, looksLikeToken, type Span } from './secret-shapes.ts'

/** Maximum number of words between `-----BEGIN` and `KEY-----`, such as `RSA` and `ENCRYPTED`. */
const maxTitleWords = 4

/** Maximum number of other words in a key, such as `Proc-Type`. More of them mean that the text is prose. */
const maxOtherWords = 32

/** Minimum length of the first line of a key. A shorter word is prose. */
const minLineChars = 16
const assignment = /^["'`]?\s*(?::=|=>|:|=)\s*$/
const quotedAssignment = /^["'`]?\s*(?::=|=>|:|=)\s*["'`]?$/
const space = /^\s+$/

/** A JSON number. Asterisks in its place would break the JSON. */
const number = /^-?\d[\d.]*(?:e[-+]?\d+)?$/i

/** Masks a range of bytes; `to` is exclusive. */
export type MaskRange = (from: number, to: number) => void

/** Options of {@link createSecretScanner}. */
export interface SecretScannerOptions {
  /** Texts that are always secret, such as the API key of the request. */
  readonly known?: readonly string[]
  readonly mask: MaskRange
}

/** Maximum length of a word that is examined as a whole. Of a longer word, an overlap of this length is examined again. */
const maxWordChars = 2048
const overlapChars = 1024

/** Maximum length of the text between a name and its value. */
const maxGapChars = 8

/** Splits a text into words and masks the secret ones. */
export function createWordReader({ known = [], mask }: SecretScannerOptions) {
  const keys = createPrivateKeyReader()
  // The unfinished word, and the byte range of each of its units.
  let word = ''
  const starts = new Float64Array(maxWordChars)
  const ends = new Float64Array(maxWordChars)
  let name = ''
  /** The units before the name and before the current word. */
  let nameLead = ''
  let wordLead = ''
  let gap = ''

  function findSecrets(): Span[] {
    if (keys.take(word)) return [wholeOf(word)]
    const spans = findShapes(word)
    for (const text of known) spans.push(...findAll(word, text))
    return spans
  }

  function maskSpan({ from, to }: Span): void {
    for (let at = from; at < to; at++) mask(starts[at] ?? 0, ends[at] ?? 0)
  }

  /** Examines and drops the start of a very long word, which is usually an image. */
  function shorten(): boolean {
    const spans = isMarkedSecret(word, { name, gap, lead: nameLead })
      ? [wholeOf(word)]
      : findSecrets()
    for (const span of spans) maskSpan(span)
    const isOpen = spans.some(({ to }) => to === word.length)
    const dropped = isOpen ? word.length : word.length - overlapChars
    for (const list of [starts, ends]) list.copyWithin(0, dropped)
    word = word.slice(dropped)
    name = ''
    return isOpen
  }

  return {
    /** Adds a unit to the word. Returns true if the rest of the word is secret. */
    add(code: number, from: number, to: number): boolean {
      starts[word.length] = from
      ends[word.length] = to
      word += String.fromCharCode(code)
      return word.length === maxWordChars && shorten()
    },
    /** Ends the word. Returns true if it started a secret value. */
    end(): boolean {
      if (word === '') return false
      const isValue = isMarkedSecret(word, { name, gap, lead: nameLead })
      for (const span of isValue ? [wholeOf(word)] : findSecrets()) maskSpan(span)
      name = word
      nameLead = wordLead
      gap = ''
      word = ''
      return isValue
    },
    separate(text: string) {
      wordLead = text
      if (gap.length < maxGapChars) gap += text
      else name = ''
    },
    /** Drops the name of the current prefix. */
    forget() {
      name = ''
    },
    /** Whether a quote at this position opens a secret string. */
    opensSecret: (): boolean => opensSecret({ name, gap, lead: nameLead }),
    /** First byte of the unfinished word, or Infinity. */
    pendingFrom: (): number => (word === '' ? Infinity : (starts[0] ?? 0)),
  }
}

function wholeOf({ length }: string): Span {
  return { from: 0, to: length }
}

function findAll(word: string, text: string): Span[] {
  const spans: Span[] = []
  // Only the start of a secret that exceeds the overlap can be found.
  const isCut = text.length > overlapChars
  const known = isCut ? text.slice(0, overlapChars) : text
  for (let at = word.indexOf(known); at !== -1; at = word.indexOf(known, at + known.length)) {
    spans.push({ from: at, to: isCut ? word.length : at + known.length })
  }
  return spans
}

/** The context before a value: the previous word and the text between the two. */
interface ValuePrefix {
  readonly name: string
  readonly gap: string
  /** The UTF-16 unit before the name. */
  readonly lead: string
}

/** Checks whether a quote after this prefix opens a secret string: `"api_key": "`, `--api-key "`. */
function opensSecret({ name, gap }: ValuePrefix): boolean {
  const isAssigned = assignment.test(gap) || (name.startsWith('--') && space.test(gap))
  return isAssigned && meaningOf(name) === 'secret'
}

/** Checks whether the prefix marks a word as secret: `api_key=…`, `"token": "…`, `Bearer …`. */
function isMarkedSecret(word: string, { name, gap, lead }: ValuePrefix): boolean {
  if (gap === '' || name === '') return false
  if (gap === '=' && (lead === '?' || lead === '&') && isCredentialParameter(name)) return true
  if (isScheme(name) && space.test(gap)) return mayFollowScheme(word)
  if (number.test(word) && !gap.includes('=')) return false
  const isOption = name.startsWith('--') && space.test(gap)
  if (!isOption && !quotedAssignment.test(gap)) return false
  const meaning = meaningOf(name)
  return meaning === 'secret' ? mayBeAssigned(word) : meaning === 'hint' && looksLikeToken(word)
}

/** Excludes prose such as `Basic authentication`. */
function mayFollowScheme(word: string): boolean {
  return word.length >= 16 || (word.length >= 8 && /.[A-Z]|\d/.test(word))
}

/** Excludes variable names, as in `api_key=os.environ`. */
function mayBeAssigned(word: string): boolean {
  return word.length >= 16 || (word.length >= 6 && /\d/.test(word) && /[A-Za-z]/.test(word))
}

/** Creates a reader of private keys between `-----BEGIN … PRIVATE KEY-----` and `-----END`. */
function createPrivateKeyReader() {
  let titleLeft = 0
  let isPrivate = false
  let bodyLeft = 0
  let isInside = false

  function readTitle(word: string): void {
    titleLeft--
    if (word === 'PRIVATE') isPrivate = true
    if (!word.startsWith('KEY-----')) return
    titleLeft = 0
    bodyLeft = isPrivate ? maxOtherWords : 0
    isInside = false
  }

  function readBody(word: string): boolean {
    if (word.startsWith('-----END')) {
      bodyLeft = 0
      return false
    }
    const isLine = /^[A-Za-z0-9+/]+$/.test(word) && (isInside || word.length >= minLineChars)
    isInside = isLine
    if (!isLine) bodyLeft--
    return isLine
  }

  return {
    /** Reads the next word. Returns true if it is part of a key. */
    take(word: string): boolean {
      if (word.endsWith('-----BEGIN')) {
        titleLeft = maxTitleWords
        isPrivate = false
        return false
      }
      if (titleLeft > 0) readTitle(word)
      else if (bodyLeft > 0) return readBody(word)
      return false
    },
  }
}
