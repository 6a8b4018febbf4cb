import { isJsonObject } from '../json/index.ts'
import {
  type ContentBlock,
  isContentBlock,
  type ResultContent,
  type ResultImage,
} from '../events/index.ts'
import { type ToolAnswer, textAnswer } from './tool-answer.ts'

/** What stands for a result with nothing in it: models take silence for a failure. */
export const NO_OUTPUT = '(no output)'

/** Reads an answer that is already in the shape in which a model gets it. */
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

/** Reads an answer back from the block that goes to the model. */
export function fromResultBlock({ content, is_error: isError }: ContentBlock): ToolAnswer {
  const parts = Array.isArray(content) ? content.filter(isContentBlock) : String(content ?? '')
  return fromResultContent(parts, isError === true)
}

/** A model API takes neither a blank text block nor anything but text in an error, which must say something. */
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
