import type { RecordedHeaders } from '../recording.ts'

/** Streams of Bedrock carry their events as base64 within binary frames. */
const opaqueTypes = /^application\/vnd\.amazon\.eventstream/

/** Tells in which form a body comes that cannot be looked into, and so not be freed of secrets; else nothing. */
export function findUnreadable(headers: RecordedHeaders): string | undefined {
  const coding = headers['content-encoding'] ?? 'identity'
  if (coding !== 'identity') return coding
  const type = headers['content-type'] ?? ''
  return opaqueTypes.test(type) ? type : undefined
}
