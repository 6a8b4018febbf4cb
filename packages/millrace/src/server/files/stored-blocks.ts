import type { ContentBlock } from '../../events/index.ts'
import { isJsonObject, type JsonObject } from '../../json/index.ts'
import type { SentFile } from './check-files.ts'

/** Stored forms of blocks: the same block objects appear in every state of a run. */
const references = new WeakMap<ContentBlock, ContentBlock>()

/** Names of files whose blocks have no field for it. */
const names = new WeakMap<ContentBlock, string>()

/** Sets the stored form of a block, which references its file. The block itself does not change. */
export function storeBlockAs(block: ContentBlock, reference: ContentBlock): void {
  references.set(block, reference)
}

/** Returns the stored form of a block: a reference, if its file is stored apart. */
export function toStoredBlock(block: ContentBlock): ContentBlock {
  return references.get(block) ?? block
}

/** Remembers the file name of a block: models accept no names of images. */
export function nameBlock(block: ContentBlock, filename: string): void {
  names.set(block, filename)
}

/** Returns the file name of a block, if known. */
export function nameOfBlock(block: ContentBlock): string | undefined {
  const { title } = block
  return typeof title === 'string' ? title : names.get(block)
}

/** Returns the stored file of a block, if it has one. */
export function fileOfBlock(
  block: ContentBlock,
): { readonly fileId: string; readonly filename?: string } | undefined {
  const { file_id: fileId } = sourceOf(toStoredBlock(block))
  const filename = nameOfBlock(block)
  if (typeof fileId !== 'string') return undefined
  return { fileId, ...(filename !== undefined && { filename }) }
}

function sourceOf({ source }: ContentBlock): JsonObject {
  return isJsonObject(source) ? source : {}
}

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

/** A multiple of three, so that parts can be joined, and small enough for the arguments of one call. */
const partBytes = 24_576

/** Encodes bytes as base64. */
export function encodeBase64(bytes: Uint8Array): string {
  const parts: string[] = []
  for (let at = 0; at < bytes.length; at += partBytes) {
    parts.push(btoa(String.fromCharCode(...bytes.subarray(at, at + partBytes))))
  }
  return parts.join('')
}

/** Decodes base64; undefined if it is invalid. */
export function decodeBase64(text: string): Uint8Array | undefined {
  let binary: string
  try {
    binary = atob(text)
  } catch {
    return undefined
  }
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at)
  return bytes
}
