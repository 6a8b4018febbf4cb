import type { RecordedHeaders } from '../recording.ts'

/** Streams of Bedrock carry their events as base64 within binary frames. */
const opaqueTypes = /^\s*application\/vnd\.amazon\.eventstream/i

/** Tells in which form a body comes that cannot be looked into, and so not be freed of secrets; else nothing. */
export function findUnreadable(headers: RecordedHeaders): string | undefined {
  const coding = valueOf(headers, 'content-encoding') ?? 'identity'
  if (!/^\s*identity\s*$/i.test(coding)) return coding
  const type = valueOf(headers, 'content-type') ?? ''
  return opaqueTypes.test(type) ? type : undefined
}

/** However the name is written: a header that is overlooked here is a secret on the disk. */
function valueOf(headers: RecordedHeaders, name: string): string | undefined {
  return Object.entries(headers).find(([known]) => known.toLowerCase() === name)?.[1]
}
