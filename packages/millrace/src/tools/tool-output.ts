import { isJsonObject } from '../json/index.ts'
import {
  type ContentBlock,
  type ResultContent,
  type ResultImage,
  isContentBlock,
} from '../events/index.ts'
import {
  type ReadBlocks,
  readContentBlocks,
  toWellFormed,
  toWellFormedContent,
} from './content-blocks.ts'
import type { RichOutput, ToolDocument, ToolImage } from './tool.ts'

/** The keys of a {@link RichOutput} and the predicate of each value. */
const richKeys = new Map<string, (value: unknown) => boolean>([
  ['text', (value) => value === undefined || typeof value === 'string'],
  ['images', (value) => value === undefined || isListOf(value, isToolImage)],
  ['documents', (value) => value === undefined || isListOf(value, isToolDocument)],
  ['isError', (value) => value === undefined || typeof value === 'boolean'],
])

/** Converts any value that a tool returned to an answer. Never throws. */
export function toToolAnswer(output: unknown): ToolAnswer {
  if (typeof output === 'string') return textAnswer(output)
  if (isRichOutput(output)) return fromRichOutput(output)
  try {
    const read = readContentBlocks(output)
    if (read !== undefined) return fromBlocks(read)
    return textAnswer(JSON.stringify(output) ?? NO_OUTPUT)
  } catch (error) {
    return errorAnswer(
      `The tool ran, but its result cannot be written as JSON: ${messageOf(error)}`,
    )
  }
}

/** Returns the message of a thrown value, without its stack. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message === '' ? error.name : error.message
  return typeof error === 'string' ? error : 'no reason given'
}

function fromRichOutput({
  text = '',
  images = [],
  documents = [],
  isError = false,
}: RichOutput): ToolAnswer {
  if (images.length + documents.length === 0)
    return fromResultContent(text === '' ? NO_OUTPUT : text, isError)
  const blocks = [...images.map(toImageBlock), ...documents.map(toDocumentBlock)]
  return {
    ...fromResultContent([{ type: 'text', text }, ...blocks], isError),
    images: images.map(({ mediaType, ...image }) => ({
      src: 'url' in image ? image.url : `data:${mediaType};base64,${image.data}`,
      mediaType,
    })),
  }
}

function fromBlocks(read: ReadBlocks): ToolAnswer {
  if ('problem' in read)
    return errorAnswer(
      `The tool ran, but its result cannot be sent to the model: ${read.problem}. Change the return value of the tool.`,
    )
  const answer = fromResultContent(read.blocks)
  const isText = read.blocks.every(({ type }) => type === 'text')
  return isText ? fromResultContent(answer.text === '' ? NO_OUTPUT : answer.text) : answer
}

function toDocumentBlock(document: ToolDocument): ContentBlock {
  const source =
    'text' in document
      ? { type: 'text', media_type: 'text/plain', data: toWellFormed(document.text) }
      : { type: 'base64', media_type: document.mediaType, data: document.data }
  return {
    type: 'document',
    source,
    ...(document.title !== undefined && { title: toWellFormed(document.title) }),
  }
}

function toImageBlock(image: ToolImage): ContentBlock {
  const source =
    'url' in image
      ? { type: 'url', url: image.url }
      : { type: 'base64', media_type: image.mediaType, data: image.data }
  return { type: 'image', source }
}

function isRichOutput(output: unknown): output is RichOutput {
  if (!isJsonObject(output)) return false
  const entries = Object.entries(output)
  return entries.length > 0 && entries.every(([key, value]) => richKeys.get(key)?.(value) === true)
}

function isToolImage(value: unknown): value is ToolImage {
  if (!isJsonObject(value) || typeof value['mediaType'] !== 'string') return false
  return typeof value['data'] === 'string' || typeof value['url'] === 'string'
}

function isToolDocument(value: unknown): value is ToolDocument {
  if (!isJsonObject(value)) return false
  const { data, mediaType, text } = value
  return typeof text === 'string' || (typeof data === 'string' && mediaType === 'application/pdf')
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem)
}

/** A tool result: text and images for users, content for the model. */
export interface ToolAnswer {
  readonly text: string
  readonly images: readonly ResultImage[]
  readonly isError: boolean
  readonly content: ResultContent
}

/** Creates an answer of plain text. */
export function textAnswer(text: string): ToolAnswer {
  return { text, images: [], isError: false, content: text }
}

/** Creates an error answer. */
export function errorAnswer(text: string): ToolAnswer {
  return { ...textAnswer(text), isError: true }
}

/** Converts an answer to a `tool_result` block. */
export function toResultBlock(callId: string, answer: ToolAnswer): ContentBlock {
  const { content, isError } = answer
  return {
    type: 'tool_result',
    tool_use_id: callId,
    content: toWellFormedContent(content),
    ...(isError && { is_error: true }),
  }
}

/** Replacement for an empty result. Models interpret an empty result as a failure. */
const NO_OUTPUT = '(no output)'

/** Converts result content in the format of the Messages API to an answer. */
export function fromResultContent(content: ResultContent, isError = false): ToolAnswer {
  if (typeof content === 'string')
    return { ...textAnswer(isError && isBlank(content) ? NO_OUTPUT : content), isError }
  const text = textOf(content)
  return {
    text,
    images: content.flatMap(toResultImage),
    isError,
    content: sendable(content, text, isError),
  }
}

/** Converts a stored result block to an answer. */
export function fromResultBlock({ content, is_error: isError }: ContentBlock): ToolAnswer {
  const parts = Array.isArray(content) ? content.filter(isContentBlock) : String(content ?? '')
  return fromResultContent(parts, isError === true)
}

/** Removes blank text blocks, which model APIs reject. An error becomes text, which must not be empty. */
function sendable(content: readonly ContentBlock[], text: string, isError: boolean): ResultContent {
  const kept = content.filter(({ type, text: part }) => type !== 'text' || !isBlank(String(part)))
  if (kept.length > 0 && !isError) return kept
  return isBlank(text) ? NO_OUTPUT : text
}

function isBlank(text: string): boolean {
  return !/\S/.test(text)
}

function textOf(content: readonly ContentBlock[]): string {
  const texts = content.map((block) => block['text'])
  return texts.filter((text) => typeof text === 'string').join('\n')
}

function toResultImage({ type, source }: ContentBlock): ResultImage[] {
  if (type !== 'image' || !isJsonObject(source)) return []
  const { media_type: mediaType = 'image/*', data, url } = source
  if (typeof mediaType !== 'string') return []
  if (typeof url === 'string') return [{ src: url, mediaType }]
  return typeof data === 'string' ? [{ src: `data:${mediaType};base64,${data}`, mediaType }] : []
}
