import { isEscaped } from '../../calls/json-string-end.ts'
import type { LiteralString, LiteralSyntax } from './literal-syntax.ts'
import { decodePython } from './python-escapes.ts'

const STRING = /(?<prefix>[bfru]{0,2})(?<quote>"""|'''|"|')/iy
const DECIMAL =
  /^(?<sign>[+-]?)(?<whole>\d[\d_]*|(?=\.\d))(?<fraction>\.[\d_]*)?(?<power>e[+-]?\d+)?$/i
const OTHER_BASE = /^(?<sign>[+-]?)(?<digits>0x[\da-f][\da-f_]*|0o[0-7][0-7_]*|0b[01][01_]*)$/i

/** Python's constants, and those of JSON, which models write as well. */
const words: Readonly<Record<string, string>> = {
  True: 'true',
  False: 'false',
  None: 'null',
  true: 'true',
  false: 'false',
  null: 'null',
}

/** Literals in Python notation. */
export const pythonSyntax: LiteralSyntax = {
  readString,
  word: /[^\s,:()[\]{}'"]+/y,
  toJson: (word) => (Object.hasOwn(words, word) ? words[word] : toNumber(word)),
  hasTuples: true,
}

function readString(text: string, index: number): LiteralString | undefined {
  STRING.lastIndex = index
  const groups = STRING.exec(text)?.groups
  const { prefix = '', quote } = groups ?? {}
  if (quote === undefined) return undefined
  const start = index + prefix.length + quote.length
  let close = text.indexOf(quote, start)
  while (close !== -1 && isEscaped(text, start, close)) close = text.indexOf(quote, close + 1)
  if (close === -1) return undefined
  const value = decodePython(text.slice(start, close), /r/i.test(prefix))
  return { value, end: close + quote.length }
}

function toNumber(word: string): string | undefined {
  const other = OTHER_BASE.exec(word)?.groups
  if (other !== undefined) return toSign(other['sign']) + BigInt(toDigits(other['digits']))
  const groups = DECIMAL.exec(word)?.groups
  if (groups === undefined) return undefined
  const { sign, whole, fraction, power = '' } = groups
  const digits = toDigits(whole)
  // Neither JSON nor Python has leading zeros.
  if (/^0\d/.test(digits)) return undefined
  const after = toDigits(fraction)
  return toSign(sign) + (digits || '0') + (after === '.' ? '.0' : after) + power
}

function toSign(sign: string | undefined): string {
  return sign === '-' ? '-' : ''
}

function toDigits(written = ''): string {
  return written.replaceAll('_', '')
}
