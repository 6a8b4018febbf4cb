import { compileNotation, type StringMarks } from './notation.ts'
import { pythonSyntax } from './python-syntax.ts'

const quotes = ['"""', "'''", '"', "'"]

/** Only `r` means something to a value; the others are what models put before strings. */
const prefixes = ['', 'r', 'R', 'b', 'f', 'u']

/** Arguments as Python writes them: `city='Oslo', days=[1, 2])`. */
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
