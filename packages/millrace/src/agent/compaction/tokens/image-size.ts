import { byteLength, readBytes } from './base64-bytes.ts'

interface ImageSize {
  readonly width: number
  readonly height: number
}

interface ImageFormat {
  /** Matches the first bytes of the format. */
  readonly signature: RegExp
  /** Reads the size from the first {@link HEADER_BYTES} bytes, or from the position they refer to. */
  size(header: string, data: string): ImageSize | undefined
}

const HEADER_BYTES = 30
/** Photographs have about ten segments before their size. Thumbnails and profiles can add more. */
const MAX_JPEG_SEGMENTS = 200

const formats: readonly ImageFormat[] = [
  {
    // oxlint-disable-next-line no-control-regex
    signature: /^\x89PNG\r\n\x1a\n/,
    size: (header) => ({ width: bigEndian(header, 16, 4), height: bigEndian(header, 20, 4) }),
  },
  {
    signature: /^GIF8/,
    size: (header) => ({ width: littleEndian(header, 6, 2), height: littleEndian(header, 8, 2) }),
  },
  { signature: /^RIFF[^]{4}WEBP/, size: webpSize },
  { signature: /^\xff\xd8\xff/, size: (_, data) => jpegSize(data) },
]

/** Reads the size of a PNG, JPEG, GIF or WebP image. Decodes only the necessary part of the base64 text. */
export function readImageSize(data: string): ImageSize | undefined {
  const header = readBytes(data, 0, HEADER_BYTES)
  if (header.length < HEADER_BYTES) return undefined
  const size = formats.find(({ signature }) => signature.test(header))?.size(header, data)
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined
}

const webpChunks: Readonly<Record<string, (header: string) => ImageSize>> = {
  'VP8 ': (header) => ({
    width: littleEndian(header, 26, 2) & 0x3fff,
    height: littleEndian(header, 28, 2) & 0x3fff,
  }),
  VP8L: (header) => {
    const bits = littleEndian(header, 21, 4)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  },
  VP8X: (header) => ({
    width: littleEndian(header, 24, 3) + 1,
    height: littleEndian(header, 27, 3) + 1,
  }),
}

function webpSize(header: string): ImageSize | undefined {
  return webpChunks[header.slice(12, 16)]?.(header)
}

/** Skips JPEG segments by their length up to the frame header with the size. */
function jpegSize(data: string): ImageSize | undefined {
  const end = byteLength(data)
  let at = 2
  for (let count = 0; count < MAX_JPEG_SEGMENTS && at < end; count++) {
    const segment = readBytes(data, at, 9)
    if (segment.length < 9 || segment.charCodeAt(0) !== 0xff) return undefined
    const marker = segment.charCodeAt(1)
    if (isFrameMarker(marker)) {
      return { height: bigEndian(segment, 5, 2), width: bigEndian(segment, 7, 2) }
    }
    // Any number of 0xff fill bytes can precede a marker.
    at += marker === 0xff ? 1 : 2 + bigEndian(segment, 2, 2)
  }
  return undefined
}

/** Checks for a start-of-frame marker. The excluded values are tables. */
function isFrameMarker(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}

function bigEndian(bytes: string, offset: number, length: number): number {
  let value = 0
  for (let at = offset; at < offset + length; at++) value = value * 256 + bytes.charCodeAt(at)
  return value
}

function littleEndian(bytes: string, offset: number, length: number): number {
  let value = 0
  for (let at = offset + length - 1; at >= offset; at--) value = value * 256 + bytes.charCodeAt(at)
  return value
}
