import { isJsonObject, type JsonObject, type JsonValue } from 'millrace'
import type {
  RecordedBody,
  RecordedChunk,
  RecordedRequest,
  RecordedResponse,
  Recording,
} from '../recording.ts'

type EncodedContent = { readonly text: string } | { readonly base64: string }

/** Encodes bytes as text if that restores the same bytes, otherwise as base64. */
function encodeContent(bytes: Uint8Array): EncodedContent {
  try {
    // A byte order mark belongs to the bytes.
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch {
    return { base64: toBase64(bytes) }
  }
}

/** Decodes the output of {@link encodeContent}; returns undefined for a value with neither text nor base64. */
export function decodeContent(value: JsonValue | undefined): Uint8Array | undefined {
  if (!isJsonObject(value)) return undefined
  const { text, base64 } = value
  if (typeof text === 'string') return new TextEncoder().encode(text)
  return typeof base64 === 'string' ? fromBase64(base64) : undefined
}

/** Maximum number of arguments of one function call; more overflow the stack. */
const sliceBytes = 8192

function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (let from = 0; from < bytes.length; from += sliceBytes) {
    binary += String.fromCharCode(...bytes.subarray(from, from + sliceBytes))
  }
  return btoa(binary)
}

function fromBase64(base64: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0))
  } catch {
    return undefined
  }
}

/** The format version that is written. */
export const recordingVersion = 1

/** Encodes a whole recording as lines of JSON. */
export function encodeRecording(recording: Recording): string {
  const lines = [encodeHead(recording), ...recording.chunks.map(encodeChunk), encodeEnd(recording)]
  return lines.join('')
}

/** Encodes the first line: the request, and the status and headers of the response. */
export function encodeHead({
  request,
  response,
  at,
}: Pick<Recording, 'request' | 'response' | 'at'>): string {
  return toLine({
    recording: recordingVersion,
    ...(request && { request: toRequest(request) }),
    response: toResponse(response),
    ...(at !== undefined && { at }),
  })
}

/** Encodes a chunk as a line. */
export function encodeChunk({ ms, bytes }: RecordedChunk): string {
  return toLine({ ms: toTenths(ms), ...encodeContent(bytes) })
}

/** Encodes the end of a recording as a line. */
export function encodeEnd({ end, endMs }: Pick<Recording, 'end' | 'endMs'>): string {
  return toLine({ end, ms: toTenths(endMs) })
}

function toRequest({ method, path, headers, body, hasPrompts }: RecordedRequest): JsonObject {
  return {
    method,
    path,
    headers,
    ...(body && { body: toBody(body) }),
    ...(!hasPrompts && { prompts: 'omitted' }),
  }
}

function toResponse({ status, headers, waitMs }: RecordedResponse): JsonObject {
  return { status, headers, ms: toTenths(waitMs) }
}

function toBody(body: RecordedBody): JsonObject {
  return 'bytes' in body ? encodeContent(body.bytes) : { omitted: body.omittedBytes }
}

/** Tenths of a millisecond are finer than any timer. */
function toTenths(ms: number): number {
  return Math.round(ms * 10) / 10
}

function toLine(value: JsonObject): string {
  return `${JSON.stringify(value)}\n`
}
