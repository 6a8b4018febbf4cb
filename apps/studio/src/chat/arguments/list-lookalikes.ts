import { stringsIn } from './list-hidden.ts'

/** Letters of other scripts that look like Latin ones and never share a word with them. */
const foreign = /[\p{sc=Cyrl}\p{sc=Armn}\p{sc=Cher}ΑΒΕΖΗΙΚΜΝΟΡΤΥΧικνορυ]/u
const suspects = /[\u0370-\u058f\u13a0-\u13ff\uab70-\uabbf]/
const words = /[\p{L}\p{M}]+/gu
/** The number of words that are listed. */
const MAX_WORDS = 5

/** A word that mixes letters of two scripts, and its first letter that is not Latin, such as `U+0430`. */
export interface Lookalike {
  readonly word: string
  readonly label: string
}

/** Lists the first words of a JSON value that mix Latin letters with look-alikes. */
export function listLookalikes(value: unknown): readonly Lookalike[] {
  const found = new Map<string, Lookalike>()
  for (const text of stringsIn(value)) {
    if (!suspects.test(text)) continue
    for (const [word] of text.matchAll(words)) {
      const letter = /\p{sc=Latn}/u.test(word) ? foreign.exec(word)?.[0] : undefined
      if (letter === undefined) continue
      const code = (letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
      found.set(word, { word, label: `U+${code}` })
      if (found.size === MAX_WORDS) return [...found.values()]
    }
  }
  return [...found.values()]
}
