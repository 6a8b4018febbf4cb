import { toSize } from '../../text/index.ts'
import type { UploadedFile } from './upload-file.ts'

/** A file that is attached to the next prompt. */
export interface Attachment {
  readonly key: number
  readonly name: string
  readonly size: number
  readonly isImage: boolean
  /** Object URL of the image; undefined for other files. */
  readonly preview: string | undefined
  /** Part that was uploaded, from 0 to 1. */
  readonly progress: number
  /** The uploaded file. */
  readonly uploaded: UploadedFile | undefined
  /** Reason why the file cannot be sent. */
  readonly problem: string | undefined
}

/** The default limit of a server for one request. */
const MAX_BYTES = 64 * 1024 * 1024
/** The number of files that a prompt may have. */
export const MAX_FILES = 20

const unsupportedTypes = /^(?:audio|video|font)\/|zip|tar$|msdownload|octet-stream;exec/

/** Returns the reason why a file cannot be uploaded; undefined if it can. */
export function findFileProblem({ size, type }: Pick<File, 'size' | 'type'>): string | undefined {
  if (size === 0) return 'The file is empty.'
  if (size > MAX_BYTES) return `The file is larger than ${toSize(MAX_BYTES)}.`
  if (unsupportedTypes.test(type)) return 'The model can only read images, PDF and text.'
  return undefined
}
