/** Code units that formats are made of. */
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

/** White space as XML and JSON know it; NaN, which stands for nothing, is none. */
export function isSpace(unit: number): boolean {
  return unit === code.space || unit === code.newline || unit === code.tab || unit === code.return
}

/** A letter, digit, or one of `_ : . -`, or anything beyond ASCII: what names of tags and attributes are made of. */
export function isNamePart(unit: number): boolean {
  return isNameStart(unit) || (unit >= 0x2d && unit <= 0x2e) || (unit >= 0x30 && unit <= 0x39)
}

/** A letter, `_`, `:`, or anything beyond ASCII. */
export function isNameStart(unit: number): boolean {
  const lower = unit | 0x20
  return (lower >= 0x61 && lower <= 0x7a) || unit === 0x5f || unit === 0x3a || unit > 0x7f
}

/** Folds ASCII letters only: `toLowerCase` changes the length of some texts, U+0130 among them. */
export function foldUnit(unit: number): number {
  return unit >= 0x41 && unit <= 0x5a ? unit | 0x20 : unit
}

/** Folds the ASCII letters of a text. */
export function foldText(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
