import { isJsonObject } from '../json/index.ts'
import type { ContentBlock } from '../events/index.ts'
import { fromResultContent, NO_OUTPUT } from './result-content.ts'
import { errorAnswer, textAnswer, type ToolAnswer } from './tool-answer.ts'
import type { RichOutput, ToolImage } from './tool.ts'

/** The keys of a {@link RichOutput}, and what each must hold to be taken as one. */
const richKeys = new Map<string, (value: unknown) => boolean>([
  ['text', (value) => value === undefined || typeof value === 'string'],
  ['images', (value) => value === undefined || (Array.isArray(value) && value.every(isToolImage))],
  ['isError', (value) => value === undefined || typeof value === 'boolean'],
])

/** Turns whatever a tool returned into an answer; never throws. */
export function toToolAnswer(output: unknown): ToolAnswer {
  if (typeof output === 'string') return textAnswer(output)
  if (isRichOutput(output)) return fromRichOutput(output)
  try {
    return textAnswer(JSON.stringify(output) ?? NO_OUTPUT)
  } catch (error) {
    return errorAnswer(
      `The tool ran, but its result cannot be written as JSON: ${messageOf(error)}`,
    )
  }
}

/** The message of anything that may be thrown, without its stack. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message === '' ? error.name : error.message
  return typeof error === 'string' ? error : 'no reason given'
}

function fromRichOutput({ text = '', images = [], isError = false }: RichOutput): ToolAnswer {
  if (images.length === 0) return { ...textAnswer(text === '' ? NO_OUTPUT : text), isError }
  return {
    ...fromResultContent([{ type: 'text', text }, ...images.map(toImageBlock)], isError),
    images: images.map(({ mediaType, ...image }) => ({
      src: 'url' in image ? image.url : `data:${mediaType};base64,${image.data}`,
      mediaType,
    })),
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
