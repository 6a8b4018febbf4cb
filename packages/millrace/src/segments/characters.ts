/** Code units that formats use. */
export const code = {
  tab: 0x09,
  newline: 0x0a,
  return: 0x0d,
  space: 0x20,
  quote: 0x22,
  apostrophe: 0x27,
  openParenthesis: 0x28,
  closeParenthesis: 0x29,
  comma: 0x2c,
  slash: 0x2f,
  colon: 0x3a,
  less: 0x3c,
  equals: 0x3d,
  greater: 0x3e,
  openBracket: 0x5b,
  backslash: 0x5c,
  closeBracket: 0x5d,
  backtick: 0x60,
  openBrace: 0x7b,
  closeBrace: 0x7d,
  tilde: 0x7e,
} as const

/** Checks for white space of XML and JSON; false for NaN, which marks the end. */
export function isSpace(unit: number): boolean {
  return unit === code.space || unit === code.newline || unit === code.tab || unit === code.return
}

/** Checks for a letter, a digit, one of `_ : . -`, or a unit beyond ASCII: the characters of tag and attribute names. */
export function isNamePart(unit: number): boolean {
  return isNameStart(unit) || (unit >= 0x2d && unit <= 0x2e) || (unit >= 0x30 && unit <= 0x39)
}

/** Checks for a letter, `_`, `:`, or a unit beyond ASCII. */
export function isNameStart(unit: number): boolean {
  const lower = unit | 0x20
  return (lower >= 0x61 && lower <= 0x7a) || unit === 0x5f || unit === 0x3a || unit > 0x7f
}

/** Converts only ASCII letters to lower case: `toLowerCase` changes the length of some texts, such as U+0130. */
export function foldUnit(unit: number): number {
  return unit >= 0x41 && unit <= 0x5a ? unit | 0x20 : unit
}

/** Converts the ASCII letters of a text to lower case. */
export function foldText(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** Keeps surrogate pairs whole in a text that arrives in chunks cut anywhere. */
export class SurrogateJoiner {
  /** A high surrogate whose partner may follow. */
  held = ''

  /** Adds a chunk and returns the text without a final high surrogate whose partner may follow. */
  take(piece: string): string {
    const text = this.held === '' ? piece : this.held + piece
    const last = text.charCodeAt(text.length - 1)
    const isHalf = last >= 0xd800 && last <= 0xdbff
    this.held = isHalf ? text.slice(-1) : ''
    return isHalf ? text.slice(0, -1) : text
  }

  /** Returns the held surrogate without a partner. */
  flush(): string {
    const half = this.held
    this.held = ''
    return half
  }
}
