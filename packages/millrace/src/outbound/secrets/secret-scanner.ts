import { createEscapeReader } from './escape-reader.ts'
import { createUserinfoReader } from './userinfo-reader.ts'
import { createWordReader, type SecretScannerOptions } from './word-reader.ts'

/** Reads a text unit by unit and covers the secrets in it; how the text is cut into chunks changes nothing. */
export interface SecretScanner {
  /** Takes a unit, with the place where it stands in the bytes. */
  feed(code: number, from: number, to: number): void
  /** Decides what is left, if it begins before a place, without waiting for more. */
  settle(before?: number): void
  /** The first byte that may still be covered, or Infinity. */
  heldFrom(): number
}

const DOUBLE_QUOTE = 0x22

const isWordCode = Uint8Array.from({ length: 256 }, (_, code) =>
  /[A-Za-z0-9_+/.~%-]/.test(String.fromCharCode(code)) ? 1 : 0,
)

/** What is being covered, whatever it is: the rest of a word, an unquoted value, a text in quotes. */
type Covering = 'rest' | 'value' | 'quoted'

/** Units that end what is being covered; a word ends where it is no word any more. */
const endings: Readonly<Record<Covering, ReadonlySet<number>>> = {
  rest: new Set(),
  value: toCodes(' \t\r\n"\'`,;&<>(){}[]|\\'),
  quoted: toCodes('\r\n'),
}

interface Quote {
  readonly code: number
  readonly depth: number
}

/** Creates a scanner for one text. */
export function createSecretScanner(options: SecretScannerOptions): SecretScanner {
  const { cover } = options
  const words = createWordReader(options)
  const userinfo = createUserinfoReader(cover)
  let covering: Covering | undefined
  let opener: Quote = { code: 0, depth: 0 }

  function endWord(): void {
    if (words.end()) covering = 'value'
  }

  function plain(code: number, from: number, to: number): void {
    userinfo.add(code, from, to)
    const isWord = isWordCode[code] === 1
    if (!isWord) endWord()
    if (
      covering !== undefined &&
      (endings[covering].has(code) || (covering === 'rest' && !isWord))
    ) {
      covering = undefined
    }
    if (covering !== undefined) return cover(from, to)
    if (!isWord) return words.separate(String.fromCharCode(code))
    if (words.add(code, from, to)) covering = 'rest'
  }

  function quote(code: number, depth: number, from: number, to: number): void {
    endWord()
    userinfo.reset()
    if (covering === 'quoted') {
      if (!closes(opener, { code, depth })) return depth === 0 ? cover(from, to) : undefined
      covering = undefined
      return words.forget()
    }
    covering = words.opensSecret() ? 'quoted' : undefined
    opener = { code, depth }
    words.separate('"')
  }

  function gap(): void {
    endWord()
    userinfo.reset()
    // JSON writes line ends in a text like this; other quotes are those of a program, and end with the line.
    if (covering !== 'quoted' || opener.code !== DOUBLE_QUOTE) covering = undefined
    words.separate(' ')
  }

  const escapes = createEscapeReader({ plain, quote, gap })
  const heldFrom = (): number => Math.min(words.heldFrom(), escapes.heldFrom(), userinfo.heldFrom())
  return {
    feed: escapes.feed,
    settle(before = Infinity) {
      if (heldFrom() >= before) return
      escapes.settle()
      endWord()
      userinfo.reset()
    },
    heldFrom,
  }
}

/**
 * Tells whether a quote ends the text that another one opened. In JSON in JSON, each level doubles the backslashes
 * and adds one for a quote: 0, 1, 3, 7; those of a backslash itself come on top. A quote of an outer level ends
 * what it holds.
 */
function closes(first: Quote, { code, depth }: Quote): boolean {
  if (code !== first.code) return code === DOUBLE_QUOTE
  for (let own = 0; own <= first.depth; own = own * 2 + 1) {
    if (depth % (own * 2 + 2) === own) return true
  }
  return depth === first.depth
}

function toCodes(units: string): ReadonlySet<number> {
  return new Set(units.split('').map((unit) => unit.charCodeAt(0)))
}
