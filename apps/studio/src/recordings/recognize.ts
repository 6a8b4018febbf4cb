import { isRecording } from 'millrace-tools/recordings'

/** Layout of a file. */
export type FileForm = 'sse' | 'lines' | 'document' | 'exchange'

const sseLine = /^(?:data|event|id|retry)?:/

/** Recognizes the layout of a file by its beginning; undefined for other files. */
export function recognizeFile(beginning: string): FileForm | undefined {
  const text = beginning.replace(/^\ufeff/, '').trimStart()
  const firstLine = text.split('\n', 1)[0] ?? ''
  if (sseLine.test(text)) return 'sse'
  if (!text.startsWith('{')) return undefined
  if (isRecording(firstLine) || /^\{\s*"recording"\s*:/.test(firstLine)) return 'exchange'
  return /^\{\s*"session"\s*:/.test(text) ? 'document' : 'lines'
}
