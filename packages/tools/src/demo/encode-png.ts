import { crc32, deflateSync } from 'node:zlib'

/** An image whose pixels are indices of colours. */
interface IndexedImage {
  readonly width: number
  readonly height: number
  /** Red, green and blue of each colour, from 0 to 255. */
  readonly palette: readonly (readonly [number, number, number])[]
  /** One index per pixel, row by row. */
  readonly pixels: Uint8Array
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** 8 bits per pixel, palette; deflate, adaptive filters, not interlaced. */
const format = [8, 3, 0, 0, 0]

/** Encodes an image as PNG. */
export function encodePng({ width, height, palette, pixels }: IndexedImage): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set(format, 8)
  return Buffer.concat([
    signature,
    toChunk('IHDR', header),
    toChunk('PLTE', Buffer.from(palette.flat())),
    toChunk('IDAT', deflateSync(toRows(pixels, width, height), { level: 9 })),
    toChunk('IEND', Buffer.alloc(0)),
  ])
}

/** Each row begins with its filter: 0 is none. */
function toRows(pixels: Uint8Array, width: number, height: number): Buffer {
  const rows = Buffer.alloc((width + 1) * height)
  for (let row = 0; row < height; row++) {
    rows.set(pixels.subarray(row * width, (row + 1) * width), row * (width + 1) + 1)
  }
  return rows
}

function toChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const chunk = Buffer.alloc(data.length + 12)
  chunk.writeUInt32BE(data.length, 0)
  chunk.set(body, 4)
  chunk.writeUInt32BE(crc32(body), data.length + 8)
  return chunk
}
