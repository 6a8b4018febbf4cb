import { createEscapeReader } from './escape-reader.ts'
import { createUserinfoReader } from './userinfo-reader.ts'
import { createWordReader, type SecretScannerOptions } from './word-reader.ts'

/** Masks the secrets in a text that arrives unit by unit. Chunk boundaries do not change the result. */
export interface SecretScanner {
  /** Reads a UTF-16 unit with its byte range. */
  feed(code: number, from: number, to: number): void
  /** Ends pending input that begins before this byte, without further input. */
  flush(before?: number): void
  /** First byte that may still be masked, or Infinity. */
  pendingFrom(): number
}

const DOUBLE_QUOTE = 0x22

const isWordCode = Uint8Array.from({ length: 256 }, (_, code) =>
  /[A-Za-z0-9_+/.~%-]/.test(String.fromCharCode(code)) ? 1 : 0,
)

/** The extent of the current mask: the rest of a word, an unquoted value, or a quoted string. */
type MaskExtent = 'rest' | 'value' | 'quoted'

/** Units that end the current mask. The rest of a word ends at any unit that is not part of a word. */
const endings: Readonly<Record<MaskExtent, ReadonlySet<number>>> = {
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
  const { mask } = options
  const words = createWordReader(options)
  const userinfo = createUserinfoReader(mask)
  let masking: MaskExtent | undefined
  let opener: Quote = { code: 0, depth: 0 }

  function endWord(): void {
    if (words.end()) masking = 'value'
  }

  function plain(code: number, from: number, to: number): void {
    userinfo.add(code, from, to)
    const isWord = isWordCode[code] === 1
    if (!isWord) endWord()
    if (masking !== undefined && (endings[masking].has(code) || (masking === 'rest' && !isWord))) {
      masking = undefined
    }
    if (masking !== undefined) return mask(from, to)
    if (!isWord) return words.separate(String.fromCharCode(code))
    if (words.add(code, from, to)) masking = 'rest'
  }

  function quote(code: number, depth: number, from: number, to: number): void {
    endWord()
    userinfo.reset()
    if (masking === 'quoted') {
      if (!closes(opener, { code, depth })) return depth === 0 ? mask(from, to) : undefined
      masking = undefined
      return words.forget()
    }
    masking = words.opensSecret() ? 'quoted' : undefined
    opener = { code, depth }
    words.separate('"')
  }

  function gap(): void {
    endWord()
    userinfo.reset()
    // JSON writes line ends in a string as escapes. Other quotes belong to source code and end with the line.
    if (masking !== 'quoted' || opener.code !== DOUBLE_QUOTE) masking = undefined
    words.separate(' ')
  }

  const escapes = createEscapeReader({ plain, quote, gap })
  const pendingFrom = (): number =>
    Math.min(words.pendingFrom(), escapes.pendingFrom(), userinfo.pendingFrom())
  return {
    feed: escapes.feed,
    flush(before = Infinity) {
      if (pendingFrom() >= before) return
      escapes.flush()
      endWord()
      userinfo.reset()
    },
    pendingFrom,
  }
}

/**
 * Checks whether a quote closes the string that another quote opened. In nested JSON, each level doubles the
 * backslashes and adds one for a quote: 0, 1, 3, 7. Escaped backslashes add to that. A quote of an outer level also
 * closes the inner string.
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
