import { isRecording } from 'millrace/recordings'

/** How a file holds its messages. */
export type FileForm = 'sse' | 'lines' | 'document' | 'exchange'

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
