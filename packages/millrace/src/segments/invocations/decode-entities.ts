const named: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  gt: '>',
  lt: '<',
  quot: '"',
}

const REFERENCE = /&(?:(amp|apos|gt|lt|quot)|#(\d{1,7})|#[xX]([\da-fA-F]{1,6}));/y
const LAST_CODE_POINT = 0x10ffff

/** Decodes the five named and the numeric references, each once; references to no character are kept. */
export function decodeEntities(text: string): string {
  let at = text.indexOf('&')
  if (at === -1) return text
  // One global replace would collect all matches first, which costs more than twice for twice the text.
  const parts: string[] = []
  let done = 0
  while (at !== -1) {
    REFERENCE.lastIndex = at
    const match = REFERENCE.exec(text)
    const character = match === null ? undefined : decodeReference(match)
    if (match !== null && character !== undefined) {
      parts.push(text.slice(done, at), character)
      done = at + match[0].length
    }
    at = text.indexOf('&', Math.max(done, at + 1))
  }
  return parts.join('') + text.slice(done)
}

function decodeReference([, name, decimal, hex]: RegExpExecArray): string | undefined {
  if (name !== undefined) return named[name]
  const codePoint = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
  return isCharacter(codePoint) ? String.fromCodePoint(codePoint) : undefined
}

/** Rejects zero, surrogates and values beyond Unicode. */
function isCharacter(codePoint: number): boolean {
  const isSurrogate = codePoint >= 0xd800 && codePoint <= 0xdfff
  return codePoint > 0 && codePoint <= LAST_CODE_POINT && !isSurrogate
}
