import { badRequest } from '../../errors/index.ts'
import type { ContentBlock, Prompt } from '../../events/index.ts'
import type { MessagePart } from '../../protocols/port/index.ts'
import { decodeBase64, toFileBlock } from '../files/stored-blocks.ts'
import { checkFiles } from '../files/check-files.ts'
import { resolveUploads } from '../files/uploads.ts'
import { decodeWith, requestSchemas } from '../requests/decode-body.ts'
import type { ServerContext } from '../server-context.ts'

type FilePart = Extract<MessagePart, { readonly type: 'file' }>

const dataUrl = /^data:([^,;]*)((?:;[^,;]*)*),/
const uploadUrl = /(?:^|\/)(upload_[0-9a-f]{32})$/

/** Creates the prompt of a message; its files are checked as uploads are, and no URL is fetched. */
export async function toMessagePrompt(
  parts: readonly MessagePart[],
  { store, limits }: Pick<ServerContext, 'store' | 'limits'>,
  session: string,
): Promise<Prompt> {
  const files = await checkFiles(
    parts.flatMap((part) => (part.type === 'file' && isInline(part) ? [toFile(part)] : [])),
    limits,
  )
  const blocks = [...files.map(toFileBlock), ...parts.flatMap(toPlainBlocks)]
  const [only] = blocks
  const isText = blocks.length === 1 && only?.type === 'text'
  const { user_prompt: prompt } = await decodeWith(
    async () => (await requestSchemas()).promptBody,
    {
      user_prompt: isText ? only['text'] : blocks,
    },
  )
  return resolveUploads(prompt, { store, session, maxBytes: limits.maxUploadBytes })
}

function isInline({ url }: FilePart): boolean {
  return dataUrl.test(url)
}

/** Text, and files that were uploaded before. */
function toPlainBlocks(part: MessagePart): ContentBlock[] {
  if (part.type === 'text') return [{ type: 'text', text: part.text }]
  if (isInline(part)) return []
  const [, id] = uploadUrl.exec(part.url) ?? []
  if (id === undefined)
    throw badRequest(
      'URLs of files are not fetched, because a server that does so could be sent anywhere. Send the file as a data URL, or with POST /agent/upload and its `url` here.',
    )
  const kind = /^image\//i.test(part.mediaType ?? '') ? 'image' : 'document'
  return [{ type: kind, source: { type: 'file', file_id: id } }]
}

function toFile({ url, filename: name = 'file', mediaType = '' }: FilePart): File {
  const [head = '', type = '', flags = ''] = dataUrl.exec(url) ?? []
  const bytes = /;base64$/i.test(flags)
    ? decodeBase64(url.slice(head.length))
    : decodePercent(url.slice(head.length))
  if (bytes === undefined) {
    throw badRequest(
      `The file ${JSON.stringify(name.slice(0, 80))} is not valid base64; send its whole data URL.`,
    )
  }
  return new File([new Uint8Array(bytes)], name, { type: type === '' ? mediaType : type })
}

function decodePercent(text: string): Uint8Array | undefined {
  try {
    return new TextEncoder().encode(decodeURIComponent(text))
  } catch {
    return undefined
  }
}
