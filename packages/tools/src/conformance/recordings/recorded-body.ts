import { parseJsonObject } from 'millrace'
import { decodeRecording, isRecording } from '../../recordings/index.ts'
import { encodeSse } from 'millrace'

/** The body that a file holds as server-sent events, or why it is no stream of the Messages API. */
export function toRecordedBody(file: Buffer, path: string): Uint8Array | string {
  if (path.endsWith('.sse')) return new Uint8Array(Buffer.concat([file, lackingEnd(file)]))
  const text = file.toString()
  const [first = ''] = text.split('\n', 1)
  return isRecording(first) ? unpack(file, path) : new TextEncoder().encode(toFrames(text))
}

/** What `millrace record` wrote: its bytes are those of the response, to wherever that came. */
function unpack(file: Buffer, path: string): Uint8Array | string {
  const { response, chunks } = decodeRecording(file, { name: path })
  const { status, headers } = response
  const type = headers['content-type'] ?? 'no content-type'
  if (status >= 300 || !type.startsWith('text/event-stream')) return `answered ${status}, ${type}`
  const body = Buffer.concat(chunks.map(({ bytes }) => bytes))
  return body.includes('message_start') ? new Uint8Array(body) : 'has no message_start'
}

/** Stored bodies often lack the blank line that ends their last frame, without which it counts as cut. */
function lackingEnd(bytes: Buffer): Buffer {
  const end = bytes.toString('latin1', Math.max(0, bytes.length - 4))
  if (/\n\r?\n$/.test(end)) return Buffer.from('')
  return Buffer.from(end.endsWith('\n') ? '\n' : '\n\n')
}

/** Some recordings keep one event a line, without its frame. */
function toFrames(lines: string): string {
  const events = lines.split('\n').filter((line) => line.trim() !== '')
  return events.map((data) => encodeSse({ data, ...nameOf(data) })).join('')
}

function nameOf(data: string): { readonly event?: string } {
  const type = parseJsonObject(data)?.['type']
  return typeof type === 'string' ? { event: type } : {}
}
