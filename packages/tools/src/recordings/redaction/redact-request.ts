import { collectKnownSecrets, redactHeaders, redactPath } from 'millrace/redaction'
import type { RecordedBody, RecordedHeaders, RecordedRequest } from '../recording.ts'
import { createBodyRedactor } from './body-redactor.ts'
import { dropPrompts } from './drop-prompts.ts'

/** A request before redaction. */
export interface PlainRequest {
  readonly method: string
  readonly path: string
  readonly headers: RecordedHeaders
}

/** Options of a request redactor. */
export interface RedactRequestOptions {
  /** Whether texts are kept, or replaced by their lengths. */
  readonly keepsPrompts?: boolean
  /** A longer body is omitted. */
  readonly maxBodyBytes?: number
}

/** Collects a request's body, and returns the request without its secrets. */
export function createRequestRedactor(
  { method, path, headers }: PlainRequest,
  { keepsPrompts = true, maxBodyBytes = 64 * 1024 * 1024 }: RedactRequestOptions = {},
) {
  const known = collectKnownSecrets(headers, path)
  let isReadable = findUnreadable(headers) === undefined
  let pieces: Uint8Array[] = []
  let size = 0
  const body = createBodyRedactor({ known, emit: ({ bytes }) => pieces.push(bytes) })

  function toBody(): RecordedBody | undefined {
    if (size === 0) return undefined
    body.finish()
    const bytes = isReadable ? concat(pieces) : undefined
    const kept = bytes && !keepsPrompts ? dropFrom(bytes) : bytes
    return kept ? { bytes: kept } : { omittedBytes: size }
  }

  return {
    feed(bytes: Uint8Array) {
      size += bytes.length
      if (size > maxBodyBytes) {
        isReadable = false
        pieces = []
      }
      if (isReadable) body.feed({ ms: 0, bytes })
    },
    finish(): RecordedRequest {
      const recorded = toBody()
      return {
        method,
        path: redactPath(path, known),
        headers: redactHeaders(headers, known),
        ...(recorded && { body: recorded }),
        hasPrompts: keepsPrompts,
      }
    },
  }
}

function dropFrom(bytes: Uint8Array): Uint8Array | undefined {
  const dropped = dropPrompts(new TextDecoder().decode(bytes))
  return dropped === undefined ? undefined : new TextEncoder().encode(dropped)
}

function concat(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

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
