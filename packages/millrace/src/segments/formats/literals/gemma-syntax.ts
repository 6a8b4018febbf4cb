import type { LiteralSyntax } from './literal-syntax.ts'

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i

/** Gemma's literals: strings between special tokens, keys without quotes. */
export function gemmaSyntax(quote: string): LiteralSyntax {
  return {
    readString(text, index) {
      if (!text.startsWith(quote, index)) return undefined
      const start = index + quote.length
      const end = text.indexOf(quote, start)
      return end === -1 ? undefined : { value: text.slice(start, end), end: end + quote.length }
    },
    word: /[^,<\]}]+/y,
    key: /[^:,<\]}]+/y,
    // A word that is neither a number nor a constant is a string without quotes.
    toJson: (word) => (isPlain(word) ? word : JSON.stringify(word)),
  }
}

function isPlain(word: string): boolean {
  return word === 'true' || word === 'false' || word === 'null' || NUMBER.test(word)
}
