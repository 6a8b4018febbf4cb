import type { ResultBlock } from 'millrace'
import { readField, readNumber, readString } from '../../json/index.ts'
import { truncate } from '../../text/index.ts'

/** Output of a program. */
export interface OutputResult {
  readonly kind: 'output'
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number | undefined
  /** Ids of files that it created. */
  readonly files: readonly string[]
}

/** A page that a search found. */
export interface FoundPage {
  readonly title: string
  /** Address; unchecked text. */
  readonly url: string
  /** Age in the words of the search; empty if unknown. */
  readonly age: string
}

/** Result of a search. */
export interface PagesResult {
  readonly kind: 'pages'
  readonly pages: readonly FoundPage[]
  readonly more: number
}

/** A part of a result; `other` is the type if it is neither text nor image. */
export interface ResultPart {
  readonly text?: string
  readonly image?: string
  readonly other?: string
}

/** A result in parts, as MCP servers return it. */
export interface PartsResult {
  readonly kind: 'parts'
  readonly parts: readonly ResultPart[]
  readonly more: number
}

/** A result that one sentence describes, with an optional file. */
export interface NoteResult {
  readonly kind: 'note'
  readonly text: string
  readonly file: string
}

/** A result with a known shape. */
export type ShownResult = OutputResult | PagesResult | PartsResult | NoteResult

/** Longer results are shown as text. */
const MAX_LENGTH = 8_000_000
/** The number of pages or parts that are drawn. */
const MAX_ITEMS = 100
/** The length of titles and ages. */
const MAX_LINE = 300

/** Reads one shape of a result; undefined for other shapes. */
type ReadShape = (value: unknown) => ShownResult | undefined

const shapes: readonly ReadShape[] = [readNote, readOutput, readPages, readParts]

/** Reads a result by its shape; undefined for other shapes and for text that is not JSON. */
export function readShownResult(text: string): ShownResult | undefined {
  if (text.length > MAX_LENGTH || !/^\s*[[{]/.test(text)) return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  for (const read of shapes) {
    const shown = read(value)
    if (shown) return shown
  }
  return undefined
}

/** Descriptions by the type of the content. */
const notes: ReadonlyMap<string, (value: unknown) => Omit<NoteResult, 'kind'>> = new Map([
  [
    'container_upload',
    (value) => ({ text: 'File for the sandbox', file: readString(value, 'file_id') ?? '' }),
  ],
  [
    'text_editor_code_execution_create_result',
    (value) => ({
      text:
        readField(value, 'is_file_update') === true
          ? 'The file was changed.'
          : 'The file was created.',
      file: '',
    }),
  ],
])

function readNote(value: unknown): NoteResult | undefined {
  const type = readString(value, 'type') ?? ''
  const note = notes.get(type)
  if (note) return { kind: 'note', ...note(value) }
  const code = readString(value, 'error_code')
  if (code === undefined || !type.endsWith('_error')) return undefined
  const message = readString(value, 'error_message')
  const text = message ? `${message} (${code})` : `It failed: ${code.replaceAll('_', ' ')}`
  return { kind: 'note', text: truncate(text, MAX_LINE), file: '' }
}

const exitFields = ['return_code', 'exit_code', 'exitCode']
const outputFields = new Set(['type', 'stdout', 'stderr', 'content', ...exitFields])

function readOutput(value: unknown): OutputResult | undefined {
  const stdout = readString(value, 'stdout')
  const stderr = readString(value, 'stderr')
  if (stdout === undefined && stderr === undefined) return undefined
  // Other fields of the tool would be lost.
  if (!Object.keys(value as object).every((field) => outputFields.has(field))) return undefined
  const exitCode = exitFields
    .map((field) => readNumber(value, field))
    .find((code) => code !== undefined)
  const files = listOf(readField(value, 'content')).flatMap(
    (item) => readString(item, 'file_id') ?? [],
  )
  return {
    kind: 'output',
    stdout: stdout ?? '',
    stderr: stderr ?? '',
    exitCode,
    files: files.slice(0, MAX_ITEMS),
  }
}

function readPages(value: unknown): PagesResult | undefined {
  const items = listOf(value)
  if (items.length === 0 || !items.every(isPage)) return undefined
  const pages = items.slice(0, MAX_ITEMS).map((item) => ({
    title: truncate(readString(item, 'title') ?? '', MAX_LINE),
    url: readString(item, 'url') ?? '',
    age: truncate(readString(item, 'page_age') ?? '', MAX_LINE),
  }))
  return { kind: 'pages', pages, more: items.length - pages.length }
}

function isPage(item: unknown): boolean {
  return readString(item, 'type') === 'web_search_result'
}

function readParts(value: unknown): PartsResult | undefined {
  const items = listOf(value)
  if (items.length === 0 || !items.every(hasType)) return undefined
  const parts = items.slice(0, MAX_ITEMS).map(toPart)
  if (parts.every(({ other }) => other !== undefined)) return undefined
  return { kind: 'parts', parts, more: items.length - parts.length }
}

function hasType(item: unknown): boolean {
  return readString(item, 'type') !== undefined
}

function toPart(item: unknown): ResultPart {
  const type = readString(item, 'type') ?? ''
  const text = type === 'text' ? readString(item, 'text') : undefined
  if (text !== undefined) return { text }
  const image = type === 'image' ? toSource(item) : undefined
  return image === undefined ? { other: truncate(type, MAX_LINE) } : { image }
}

/** Returns the unchecked address of an image in the notation of the Messages API or of MCP. */
function toSource(item: unknown): string | undefined {
  const source = readField(item, 'source') ?? item
  const url = readString(source, 'url')
  if (url !== undefined) return url
  const data = readString(source, 'data')
  const mediaType = readString(source, 'media_type') ?? readString(source, 'mimeType')
  // Servers may replace the data by its size.
  if (data === undefined || mediaType === undefined || data.startsWith('[')) return undefined
  return `data:${mediaType};base64,${data}`
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Shapes of results; the card and its body need them, also when they are drawn again. */
const results = new WeakMap<ResultBlock, ShownResult | undefined>()

/** Returns the shape of a completed result, read once for each result. */
export function toShownResult(result: ResultBlock | undefined): ShownResult | undefined {
  if (!result?.done) return undefined
  if (!results.has(result)) results.set(result, readShownResult(result.text))
  return results.get(result)
}
