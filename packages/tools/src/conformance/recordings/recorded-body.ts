import { parseJsonObject } from 'millrace'
import { decodeRecording, isRecording } from '../../recordings/index.ts'
import { encodeSse } from 'millrace'

/** Returns the body of a file as server-sent events, or the reason why it is not a stream of the Messages API. */
export function toRecordedBody(file: Buffer, path: string): Uint8Array | string {
  if (path.endsWith('.sse')) return new Uint8Array(Buffer.concat([file, lackingEnd(file)]))
  const text = file.toString()
  const [first = ''] = text.split('\n', 1)
  return isRecording(first) ? unpack(file, path) : new TextEncoder().encode(toFrames(text))
}

/** Returns the body of a recording of `millrace record`, up to its end. */
function unpack(file: Buffer, path: string): Uint8Array | string {
  const { response, chunks } = decodeRecording(file, { name: path })
  const { status, headers } = response
  const type = headers['content-type'] ?? 'no content-type'
  if (status >= 300 || !type.startsWith('text/event-stream')) return `answered ${status}, ${type}`
  const body = Buffer.concat(chunks.map(({ bytes }) => bytes))
  return body.includes('message_start') ? new Uint8Array(body) : 'has no message_start'
}

/** Stored bodies often lack the blank line after their last frame, which would then count as cut. */
function lackingEnd(bytes: Buffer): Buffer {
  const end = bytes.toString('latin1', Math.max(0, bytes.length - 4))
  if (/\n\r?\n$/.test(end)) return Buffer.from('')
  return Buffer.from(end.endsWith('\n') ? '\n' : '\n\n')
}

/** Adds frames to a recording of one event per line. */
function toFrames(lines: string): string {
  const events = lines.split('\n').filter((line) => line.trim() !== '')
  return events.map((data) => encodeSse({ data, ...nameOf(data) })).join('')
}

function nameOf(data: string): { readonly event?: string } {
  const type = parseJsonObject(data)?.['type']
  return typeof type === 'string' ? { event: type } : {}
}
