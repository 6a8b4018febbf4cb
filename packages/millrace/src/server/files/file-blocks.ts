import type { ContentBlock } from '../../events/index.ts'
import { encodeBase64 } from './base64.ts'
import { nameBlock } from './stored-blocks.ts'
import type { SentFile } from './check-files.ts'

/** Creates the prompt block for a file, as models accept its kind. */
export function toFileBlock({ kind, mediaType, filename, bytes }: SentFile): ContentBlock {
  if (kind === 'text') {
    const data = new TextDecoder().decode(bytes)
    return {
      type: 'document',
      source: { type: 'text', media_type: mediaType, data },
      title: filename,
    }
  }
  const source = { type: 'base64', media_type: mediaType, data: encodeBase64(bytes) }
  if (kind === 'pdf') return { type: 'document', source, title: filename }
  const image = { type: 'image', source }
  nameBlock(image, filename)
  return image
}
