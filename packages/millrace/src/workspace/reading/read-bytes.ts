import { MillraceError } from '../../errors/index.ts'
import type { OpenFile } from '../paths/open-inside.ts'

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
