import type { RecordedHeaders } from '../recording.ts'

/** Bedrock streams carry their events as base64 within binary frames. */
const opaqueTypes = /^\s*application\/vnd\.amazon\.eventstream/i

/** Returns the encoding of a body that cannot be scanned for secrets; otherwise undefined. */
export function findUnreadable(headers: RecordedHeaders): string | undefined {
  const coding = valueOf(headers, 'content-encoding') ?? 'identity'
  if (!/^\s*identity\s*$/i.test(coding)) return coding
  const type = valueOf(headers, 'content-type') ?? ''
  return opaqueTypes.test(type) ? type : undefined
}

/** Ignores the case of the name: a header that is missed here is a secret on the disk. */
function valueOf(headers: RecordedHeaders, name: string): string | undefined {
  return Object.entries(headers).find(([known]) => known.toLowerCase() === name)?.[1]
}
