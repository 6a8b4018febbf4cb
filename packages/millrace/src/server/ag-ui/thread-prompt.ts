import type { Prompt } from '../../events/index.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts'
import { type ChatPromptOptions, toChatPrompt } from '../ai-sdk/chat-prompt.ts'
import { partsOf } from './run-input.ts'

/** What a message of AG-UI says, as a prompt; files are checked as uploads are, and no URL is fetched. */
export function toThreadPrompt(
  content: JsonValue | undefined,
  options: ChatPromptOptions,
): Promise<Prompt> {
  const parts = partsOf(content).map(toPart)
  return toChatPrompt({ id: undefined, role: 'user', parts }, options)
}

/** A part in the words of `POST /ai-sdk/chat`, which takes the same. */
function toPart(part: JsonObject): JsonObject {
  const { type, source, filename } = part
  if (type === 'text') return part
  const { url, mediaType } = isJsonObject(source) ? fromSource(source) : fromBinary(part)
  return { type: 'file', url, mediaType, ...(typeof filename === 'string' && { filename }) }
}

interface FilePart {
  readonly url: string
  readonly mediaType: string
}

function fromSource({ type, value, mimeType }: JsonObject): FilePart {
  const mediaType = typeof mimeType === 'string' ? mimeType : ''
  const text = typeof value === 'string' ? value : ''
  return { url: type === 'data' ? `data:${mediaType};base64,${text}` : text, mediaType }
}

/** A file as clients before 1.0 sent it. */
function fromBinary({ mimeType, data, url, id }: JsonObject): FilePart {
  if (typeof data === 'string')
    return fromSource({ type: 'data', value: data, mimeType: mimeType ?? '' })
  return fromSource({ type: 'url', value: url ?? id ?? '', mimeType: mimeType ?? '' })
}
