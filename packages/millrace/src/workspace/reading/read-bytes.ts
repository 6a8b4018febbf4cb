import { MillraceError } from '../../errors/index.ts'
import type { OpenFile } from '../paths/open-inside.ts'

/** Image types that models accept, with their magic bytes. */
const imageMarks: readonly { mediaType: string; at: number; bytes: readonly number[] }[] = [
  { mediaType: 'image/png', at: 0, bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
  { mediaType: 'image/jpeg', at: 0, bytes: [0xff, 0xd8, 0xff] },
  { mediaType: 'image/gif', at: 0, bytes: [0x47, 0x49, 0x46, 0x38] },
  { mediaType: 'image/webp', at: 8, bytes: [0x57, 0x45, 0x42, 0x50] },
]

/** Number of bytes examined for binary content, as in Git. */
const SNIFFED_BYTES = 8000

/** Detects the media type of an image by its content. Returns undefined for types that models do not accept. */
export function imageTypeOf(bytes: Uint8Array): string | undefined {
  const mark = imageMarks.find(({ at, bytes: expected }) =>
    expected.every((byte, index) => bytes[at + index] === byte),
  )
  const isRiff = String.fromCharCode(...bytes.subarray(0, 4)) === 'RIFF'
  return mark?.mediaType === 'image/webp' && !isRiff ? undefined : mark?.mediaType
}

/** Returns the reason and remedy for a file that is not text; undefined for text, judged by the first bytes. */
export function nonTextReason(bytes: Uint8Array): string | undefined {
  const imageType = imageTypeOf(bytes)
  if (imageType !== undefined) return `is an image (${imageType}); use read_image.`
  const [first, second] = bytes
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    return 'is text in UTF-16, and only UTF-8 is read; convert it first (iconv -f utf-16 -t utf-8).'
  }
  if (String.fromCharCode(...bytes.subarray(0, 5)) === '%PDF-') {
    return 'is a PDF; take its text out first (pdftotext).'
  }
  const isBinary = bytes.subarray(0, SNIFFED_BYTES).includes(0)
  return isBinary
    ? 'is binary, not text; look at it with a command (file, xxd, strings).'
    : undefined
}

const CHUNK_BYTES = 65_536
/** Minimum buffer size. Some files report no size. */
const LEAST_BYTES = 1024

/** Reads an open file in chunks. A chunk is valid until the next read. */
export async function* readChunks(
  { handle, stats }: OpenFile,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  // One byte more than a small file has, to detect its end without another read buffer.
  const buffer = new Uint8Array(Math.min(CHUNK_BYTES, Math.max(stats.size + 1, LEAST_BYTES)))
  for (;;) {
    signal.throwIfAborted()
    const { bytesRead } = await handle.read(buffer, 0, buffer.length)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
  }
}

/** Reads a whole open file. Throws `payload_too_large` if it has, or grows to, more than `maxBytes`. */
export async function readBytes(
  file: OpenFile,
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
): Promise<Buffer> {
  if (file.stats.size > maxBytes) throw tooLarge(file, file.stats.size, maxBytes)
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of readChunks(file, signal)) {
    size += chunk.length
    if (size > maxBytes) throw tooLarge(file, size, maxBytes)
    chunks.push(chunk.slice())
  }
  return Buffer.concat(chunks, size)
}

function tooLarge({ shown }: OpenFile, size: number, maxBytes: number): MillraceError {
  return new MillraceError(
    'payload_too_large',
    `"${shown}" has ${size} bytes; the maximum is ${maxBytes}.`,
  )
}
