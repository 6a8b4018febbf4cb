import { MillraceError } from '../../errors/index.ts'
import type { ContentBlock, Prompt } from '../../events/index.ts'
import type { JsonObject } from '../../json/index.ts'
import type { Store } from '../../stores/port/index.ts'
import { decodeBase64 } from '../files/base64.ts'
import { toFileBlock } from '../files/file-blocks.ts'
import { takeFiles } from '../files/take-files.ts'
import { resolveUploads } from '../files/uploads.ts'
import type { HandlerLimits } from '../handler-options.ts'
import { decodeBody } from '../requests/decode-body.ts'
import { promptBody } from '../requests/request-bodies.ts'
import type { SentMessage } from './chat-body.ts'

/** Where the files of a message may be, and how large. */
export interface ChatPromptOptions {
  readonly store: Store
  readonly session: string
  readonly limits: Required<HandlerLimits>
}

const dataUrl = /^data:([^,;]*)((?:;[^,;]*)*),/
const uploadUrl = /(?:^|\/)(upload_[0-9a-f]{32})$/

/** What a person asks in a message: its text, and its files, which are checked as uploads are. */
export async function toChatPrompt(
  { parts }: SentMessage,
  { store, session, limits }: ChatPromptOptions,
): Promise<Prompt> {
  const sent = parts.filter(isAsked)
  const files = await takeFiles(
    sent.flatMap((part) => (isInline(part) ? [toFile(part)] : [])),
    limits,
  )
  const blocks = [...files.map(toFileBlock), ...sent.flatMap(toPlainBlocks)]
  const [only] = blocks
  const isText = blocks.length === 1 && only?.type === 'text'
  const { user_prompt: prompt } = decodeBody(promptBody, {
    user_prompt: isText ? only['text'] : blocks,
  })
  return resolveUploads(prompt, { store, session, maxBytes: limits.maxUploadBytes })
}

/** Parts that a person sends; others, such as the page's own data, say nothing to a model. */
function isAsked({ type, text }: JsonObject): boolean {
  return type === 'file' || (type === 'text' && typeof text === 'string' && text !== '')
}

function isInline({ type, url }: JsonObject): boolean {
  return type === 'file' && typeof url === 'string' && dataUrl.test(url)
}

/** Text, and files that were uploaded before; one that stands elsewhere is not fetched. */
function toPlainBlocks(part: JsonObject): ContentBlock[] {
  const { type, text, url, mediaType } = part
  if (type === 'text') return [{ type: 'text', text: String(text) }]
  if (isInline(part)) return []
  const [, id] = uploadUrl.exec(String(url)) ?? []
  if (id === undefined) throw notFetched()
  const kind = /^image\//i.test(String(mediaType)) ? 'image' : 'document'
  return [{ type: kind, source: { type: 'file', file_id: id } }]
}

function toFile({ url, filename, mediaType }: JsonObject): File {
  const text = String(url)
  const [head = '', type = '', flags = ''] = dataUrl.exec(text) ?? []
  const name = typeof filename === 'string' ? filename : 'file'
  const bytes = /;base64$/i.test(flags)
    ? decodeBase64(text.slice(head.length))
    : decodePercent(text.slice(head.length))
  if (bytes === undefined) {
    throw new MillraceError(
      'bad_request',
      `The file ${JSON.stringify(name.slice(0, 80))} is not valid base64; send its whole data URL.`,
    )
  }
  const given = type === '' ? String(mediaType ?? '') : type
  return new File([new Uint8Array(bytes)], name, { type: given })
}

function decodePercent(text: string): Uint8Array | undefined {
  try {
    return new TextEncoder().encode(decodeURIComponent(text))
  } catch {
    return undefined
  }
}

function notFetched(): MillraceError {
  return new MillraceError(
    'bad_request',
    'The URL of a file is not fetched: a server that does could be sent anywhere. Send the file as a data URL, or with POST /agent/upload and its `url` here.',
  )
}
