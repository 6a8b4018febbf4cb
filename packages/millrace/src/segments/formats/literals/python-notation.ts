import { compileNotation, type StringMarks } from './notation.ts'
import { pythonSyntax } from './python-syntax.ts'

const quotes = ['"""', "'''", '"', "'"]

/** Prefixes that models put before strings; only `r` has an effect. */
const prefixes = ['', 'r', 'R', 'b', 'f', 'u']

/** Arguments in Python notation: `city='Oslo', days=[1, 2])`. */
export const pythonNotation = compileNotation({
  strings: prefixes.flatMap((prefix) => quotes.map((quote) => toMarks(prefix, quote))),
  hasEscapes: true,
  brackets: [
    ['(', ')'],
    ['[', ']'],
    ['{', '}'],
  ],
  assign: '=',
  close: ')',
  stringType: 'string',
  syntax: pythonSyntax,
})

function toMarks(prefix: string, quote: string): StringMarks {
  return { open: prefix + quote, close: quote, isRaw: prefix.toLowerCase() === 'r' }
}
