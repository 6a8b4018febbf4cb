import { isRecording } from 'millrace/recordings'
import { readField } from '../text/read-field.ts'

/** How a file holds its messages. */
export type FileForm = 'sse' | 'lines' | 'document' | 'exchange'

/** Whose messages they are. */
export type MessageForm = 'millrace' | 'anthropic' | 'openai'

const sseLine = /^(?:data|event|id|retry)?:/

/** Tells by the beginning of a file how it is to be read; undefined for a file that is something else. */
export function recognizeFile(beginning: string): FileForm | undefined {
  const text = beginning.replace(/^\ufeff/, '').trimStart()
  const firstLine = text.split('\n', 1)[0] ?? ''
  if (sseLine.test(text)) return 'sse'
  if (!text.startsWith('{')) return undefined
  if (isRecording(firstLine) || /^\{\s*"recording"\s*:/.test(firstLine)) return 'exchange'
  return /^\{\s*"session"\s*:/.test(text) ? 'document' : 'lines'
}

const providerEvents: ReadonlySet<unknown> = new Set([
  'message_start',
  'message_delta',
  'message_stop',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'ping',
])

/** Tells whose message a line is; undefined for what nobody here knows. */
export function recognizeMessage(data: string): MessageForm | undefined {
  let value: unknown
  try {
    value = JSON.parse(data)
  } catch {
    return undefined
  }
  const type = readField(value, 'type')
  if (typeof readField(value, 'agent') === 'string' && typeof type === 'string') return 'millrace'
  if (providerEvents.has(type) || type === 'error') return 'anthropic'
  return Array.isArray(readField(value, 'choices')) ? 'openai' : undefined
}
