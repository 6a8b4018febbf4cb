import { readField, readString } from '../../json/index.ts'
import { toFileKind } from './name-kind.ts'

/** A file that a question came with, as the stream tells of it. */
export interface PromptFile {
  readonly isPicture: boolean
  /** The position of its block in the question. */
  readonly block: number
  /** What it is called, if the question says so. */
  readonly name: string | undefined
  /** What people call its type. */
  readonly kind: string | undefined
  /** About how many bytes it has, if that can be known. */
  readonly size: number | undefined
}

/** A question in parts. */
export interface PromptParts {
  readonly text: string
  readonly files: readonly PromptFile[]
}

/** Takes a question apart: one with files is told as the JSON of its blocks. */
export function readPrompt(prompt: string): PromptParts {
  const plain = { text: prompt, files: [] }
  if (!prompt.startsWith('[{')) return plain
  const blocks = readBlocks(prompt)
  const files = blocks.flatMap(toFile)
  const texts = blocks.flatMap((block) => readString(block, 'text') ?? [])
  // A list that someone has typed is none of ours unless all of it is.
  if (files.length === 0 || files.length + texts.length !== blocks.length) return plain
  return { text: texts.join('\n'), files }
}

function readBlocks(prompt: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(prompt)
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

function toFile(block: unknown, position: number): readonly PromptFile[] {
  const type = readString(block, 'type')
  if (type !== 'image' && type !== 'document') return []
  const source = readField(block, 'source')
  const file = {
    isPicture: type === 'image',
    block: position,
    name: readString(block, 'title'),
    kind: toFileKind(readString(source, 'media_type') ?? ''),
    size: readSize(source),
  }
  return [file]
}

/** Servers put a label with the size in place of data, and of long text; its units are powers of 1,024. */
const label = /^\[(?:base64|text), (\d{1,7}\.\d) ([KM])B\]$/
const unitBytes: Readonly<Record<string, number>> = { K: 1_024, M: 1_048_576 }
/** A label is to a tenth of its unit, which says too little of what is smaller. */
const MIN_LABELLED = 10 * 1_024

function readSize(source: unknown): number | undefined {
  const data = readString(source, 'data')
  if (data === undefined) return undefined
  const [, count, unit] = label.exec(data) ?? []
  if (count !== undefined) {
    const size = Number(count) * (unitBytes[unit ?? ''] ?? 0)
    return size < MIN_LABELLED ? undefined : Math.round(size)
  }
  // Any other text is the content itself.
  return readString(source, 'type') === 'text' ? new TextEncoder().encode(data).length : undefined
}
