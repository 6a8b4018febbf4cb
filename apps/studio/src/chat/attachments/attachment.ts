import { toSize } from '../../text/index.ts'
import type { UploadedFile } from './upload-file.ts'

/** A file that goes along with a question. */
export interface Attachment {
  readonly key: number
  readonly name: string
  readonly size: number
  readonly isImage: boolean
  /** An address of its picture in this page; undefined if it is none. */
  readonly preview: string | undefined
  /** How much of it was sent, from 0 to 1. */
  readonly progress: number
  /** What the server keeps, once it does. */
  readonly uploaded: UploadedFile | undefined
  /** Why it cannot go along. */
  readonly problem: string | undefined
}

/** What a server takes in one request unless it was told otherwise. */
const MAX_BYTES = 64 * 1024 * 1024
/** How many files a question may have. */
export const MAX_FILES = 20

const unsupportedTypes = /^(?:audio|video|font)\/|zip|tar$|msdownload|octet-stream;exec/

/** Why a file need not even be sent; undefined if it may be taken. */
export function findFileProblem({ size, type }: Pick<File, 'size' | 'type'>): string | undefined {
  if (size === 0) return 'It is empty.'
  if (size > MAX_BYTES) return `It is larger than ${toSize(MAX_BYTES)}.`
  if (unsupportedTypes.test(type)) return 'Only images, PDF and text can be read by the model.'
  return undefined
}
