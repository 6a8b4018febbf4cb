import { readField, readString } from '../../text/read-field.ts'

/** A file that a question came with, as the stream tells of it. */
export interface PromptFile {
  readonly kind: 'image' | 'document'
  /** The position of its block in the question. */
  readonly block: number
  readonly name: string
  /** How large it is, in the server's words. */
  readonly size: string | undefined
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
  const kind = readString(block, 'type')
  if (kind !== 'image' && kind !== 'document') return []
  const source = readField(block, 'source')
  const media = readString(source, 'media_type')
  const name = readString(block, 'title') ?? names[media ?? ''] ?? 'A file'
  const data = readString(source, 'data')
  const size = data !== undefined && data.length < 40 ? data : undefined
  return [{ kind, name, size, block: position }]
}

const names: Readonly<Record<string, string>> = {
  'image/png': 'PNG image',
  'image/jpeg': 'JPEG image',
  'image/gif': 'GIF image',
  'image/webp': 'WebP image',
  'application/pdf': 'PDF',
  'text/plain': 'Text',
}
