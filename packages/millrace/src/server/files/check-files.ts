import { badRequest, MillraceError } from '../../errors/index.ts'
import type { HandlerLimits } from '../handler-options.ts'
import { toSafeName } from './file-name.ts'
import { findMedia, type Media } from './media-kind.ts'

/** A checked file from a client. */
export interface SentFile extends Media {
  readonly filename: string
  readonly bytes: Uint8Array
}

/** The limits of each kind of file. */
type FileLimits = Pick<
  Required<HandlerLimits>,
  'maxFiles' | 'maxImageBytes' | 'maxPdfBytes' | 'maxTextBytes'
>

const limitOf: Readonly<Record<Media['kind'], keyof FileLimits>> = {
  image: 'maxImageBytes',
  pdf: 'maxPdfBytes',
  text: 'maxTextBytes',
}

/** Types that are never text, with any content. */
const notText = /^(image|audio|video|font)\/|^application\/pdf$/i

/** Checks the content and size of files. */
export async function checkFiles(
  files: readonly File[],
  limits: FileLimits,
): Promise<readonly SentFile[]> {
  if (files.length > limits.maxFiles) {
    throw badRequest(
      `The request has ${files.length} files, more than the limit of ${limits.maxFiles}; send several requests.`,
    )
  }
  return Promise.all(files.map((file) => checkFile(file, limits)))
}

async function checkFile(file: File, limits: FileLimits): Promise<SentFile> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  const filename = toSafeName(file.name) ?? 'file'
  const media = findMedia(bytes)
  if (bytes.length === 0) throw refused(filename, 'is empty')
  if (media === undefined || (media.kind === 'text' && notText.test(file.type))) {
    throw refused(filename, 'has an unsupported type')
  }
  const max = limits[limitOf[media.kind]]
  if (bytes.length > max) throw tooLarge(filename, bytes.length, max)
  return { ...media, filename, bytes }
}

function refused(filename: string, fault: string): MillraceError {
  return badRequest(
    `The file ${JSON.stringify(filename)} ${fault}; send PNG, JPEG, GIF or WebP images, PDF, or text in UTF-8.`,
  )
}

function tooLarge(filename: string, bytes: number, maxBytes: number): MillraceError {
  return new MillraceError(
    'payload_too_large',
    `The file ${JSON.stringify(filename)} has ${bytes} bytes, more than the limit of ${maxBytes} for its kind; send a smaller one.`,
    { details: { max_bytes: maxBytes } },
  )
}
