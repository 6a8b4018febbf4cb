import { isJsonObject } from '../json/index.ts'
import {
  type ContentBlock,
  isContentBlock,
  type ResultContent,
  type ResultImage,
} from '../events/index.ts'
import { type ToolAnswer, textAnswer } from './tool-output.ts'

/** Replacement for an empty result. Models interpret an empty result as a failure. */
export const NO_OUTPUT = '(no output)'

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
