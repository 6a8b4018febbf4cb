import { MillraceError } from '../../errors/index.ts'
import type { HandlerLimits } from '../handler-options.ts'
import { toSafeName } from './file-name.ts'
import { findMedia, type Media } from './media-kind.ts'

/** A file that a client has sent, checked. */
export interface SentFile extends Media {
  readonly filename: string
  readonly bytes: Uint8Array
}

/** The bound of each kind of file. */
type FileLimits = Pick<
  Required<HandlerLimits>,
  'maxFiles' | 'maxImageBytes' | 'maxPdfBytes' | 'maxTextBytes'
>

const limitOf: Readonly<Record<Media['kind'], keyof FileLimits>> = {
  image: 'maxImageBytes',
  pdf: 'maxPdfBytes',
  text: 'maxTextBytes',
}

/** Types that text is not, whatever a client calls it. */
const notText = /^(image|audio|video|font)\/|^application\/pdf$/i

/** Checks files by their content and size. */
export async function takeFiles(
  files: readonly File[],
  limits: FileLimits,
): Promise<readonly SentFile[]> {
  if (files.length > limits.maxFiles) {
    throw new MillraceError(
      'bad_request',
      `${files.length} files are more than the ${limits.maxFiles} that one request may hold; send them in several.`,
    )
  }
  return Promise.all(files.map((file) => takeFile(file, limits)))
}

async function takeFile(file: File, limits: FileLimits): Promise<SentFile> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  const filename = toSafeName(file.name) ?? 'file'
  const media = findMedia(bytes)
  if (bytes.length === 0) throw refused(filename, 'is empty')
  if (media === undefined || (media.kind === 'text' && notText.test(file.type))) {
    throw refused(filename, 'is none of these')
  }
  const max = limits[limitOf[media.kind]]
  if (bytes.length > max) throw tooLarge(filename, bytes.length, max)
  return { ...media, filename, bytes }
}

function refused(filename: string, fault: string): MillraceError {
  return new MillraceError(
    'bad_request',
    `The file ${JSON.stringify(filename)} ${fault}; send PNG, JPEG, GIF or WebP images, PDF, or text in UTF-8.`,
  )
}

function tooLarge(filename: string, bytes: number, maxBytes: number): MillraceError {
  return new MillraceError(
    'payload_too_large',
    `The file ${JSON.stringify(filename)} has ${bytes} bytes, more than the ${maxBytes} of its kind that this server takes.`,
    { details: { max_bytes: maxBytes } },
  )
}
