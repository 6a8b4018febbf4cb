import type { ResultBlock } from 'millrace'
import { readField } from '../../json/index.ts'
import { truncate } from '../../text/index.ts'
import type { ShownArguments, ShownInput } from '../arguments/index.ts'
import type { ShownResult } from '../results/index.ts'

/** The length of a summary in characters. */
const MAX_LENGTH = 160
const MAX_FIELDS = 6

/** Summarizes the arguments of a call. */
export function toShortInput(input: unknown, shown: ShownInput | undefined): string {
  if (shown) return toFirstLine(shown.path || shown.text)
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return ''
  const fields = Object.entries(input).slice(0, MAX_FIELDS)
  const words = fields.map(([name, value]) =>
    fields.length === 1 ? toWord(value) : `${name}: ${toWord(value)}`,
  )
  return truncate(words.join(', '), MAX_LENGTH)
}

function toWord(value: unknown): string {
  if (typeof value === 'string') return toFirstLine(value)
  return typeof value === 'object' && value !== null ? '…' : String(value)
}

/** Summaries by the shape of a result. */
const summaries: {
  readonly [Kind in ShownResult['kind']]: (shown: ShownResult & { kind: Kind }) => string
} = {
  output: ({ stdout, stderr, exitCode }) =>
    toFirstLine(stdout || stderr) || (exitCode === undefined ? '' : `Exit code ${exitCode}`),
  pages: ({ pages, more }) => toCount(pages.length + more, 'page'),
  parts: ({ parts }) => toFirstLine(parts.find(({ text }) => text)?.text ?? '') || 'An image',
  note: ({ text }) => toFirstLine(text),
}

/** Summarizes the result of a call in one line. */
export function toShortResult(
  { text, images }: Pick<ResultBlock, 'text' | 'images'>,
  shown: ShownResult | undefined,
  /** The arguments of the call; fields that repeat them are left out. */
  given?: unknown,
): string {
  if (shown) return summaryOf(shown)
  if (/^\s*[[{]/.test(text)) return toShortJson(text, given)
  return toFirstLine(text) || (images.length > 0 ? toCount(images.length, 'image') : '')
}

function summaryOf<Kind extends ShownResult['kind']>(shown: ShownResult & { kind: Kind }): string {
  return summaries[shown.kind](shown)
}

/** Longer JSON is not parsed for a summary. */
const MAX_JSON = 20_000

function toShortJson(text: string, given: unknown): string {
  const value = text.length > MAX_JSON ? undefined : parse(text)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const news = Object.entries(value).filter(([name, each]) => readField(given, name) !== each)
    if (news.length > 0) return toShortInput(Object.fromEntries(news), undefined)
  }
  return truncate(text.slice(0, 4 * MAX_LENGTH).replaceAll(/\s+/g, ' '), MAX_LENGTH)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the first line that is not blank. */
function toFirstLine(text: string): string {
  return truncate(/\S[^\n]*/.exec(text.slice(0, 4 * MAX_LENGTH))?.[0].trimEnd() ?? '', MAX_LENGTH)
}

function toCount(count: number, word: string): string {
  return `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`
}

/** Reports whether the card shows something else than the JSON that was sent. */
export function differsFromJson(
  { text, isWhole, change, shown }: ShownArguments,
  result: ResultBlock | undefined,
  shownResult: ShownResult | undefined,
): boolean {
  if (!isWhole) return false
  if (change || shown || shownResult) return true
  // Line breaks inside strings are drawn as line breaks.
  return text.includes(BREAK) || (result?.done === true && isBroken(result.text))
}

const BREAK = String.raw`\n`

function isBroken(text: string): boolean {
  return /^\s*[[{]/.test(text) && text.includes(BREAK)
}
