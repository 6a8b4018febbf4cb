import { readField, readString } from '../../json/index.ts'
import { toFileKind } from './file-kind.ts'

/** A file of a prompt, as the stream describes it. */
export interface PromptFile {
  readonly isPicture: boolean
  /** Position of its block in the prompt. */
  readonly block: number
  /** Name, if the prompt has one. */
  readonly name: string | undefined
  /** Common name of its type. */
  readonly kind: string | undefined
  /** Approximate size in bytes, if it is known. */
  readonly size: number | undefined
}

/** Text and files of a prompt. */
export interface PromptParts {
  readonly text: string
  readonly files: readonly PromptFile[]
}

/** Splits a prompt into text and files. A prompt with files is the JSON of its blocks. */
export function readPrompt(prompt: string): PromptParts {
  const plain = { text: prompt, files: [] }
  if (!prompt.startsWith('[{')) return plain
  const blocks = readBlocks(prompt)
  const files = blocks.flatMap(toFile)
  const texts = blocks.flatMap((block) => readString(block, 'text') ?? [])
  // A list that a user typed must not be treated as blocks.
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

/** Servers replace data and long texts by a label with the size, in powers of 1,024. */
const label = /^\[(?:base64|text), (\d{1,7}\.\d) ([KM])B\]$/
const unitBytes: Readonly<Record<string, number>> = { K: 1_024, M: 1_048_576 }
/** A label has one decimal, which is too inexact for smaller sizes. */
const MIN_LABELLED = 10 * 1_024

function readSize(source: unknown): number | undefined {
  const data = readString(source, 'data')
  if (data === undefined) return undefined
  const [, count, unit] = label.exec(data) ?? []
  if (count !== undefined) {
    const size = Number(count) * (unitBytes[unit ?? ''] ?? 0)
    return size < MIN_LABELLED ? undefined : Math.round(size)
  }
  // Any other text is the content.
  return readString(source, 'type') === 'text' ? new TextEncoder().encode(data).length : undefined
}
