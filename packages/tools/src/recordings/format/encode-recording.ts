import type { JsonObject } from 'millrace'
import type {
  RecordedBody,
  RecordedChunk,
  RecordedRequest,
  RecordedResponse,
  Recording,
} from '../recording.ts'
import { encodeContent } from './content.ts'

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

/** Encodes the line of one chunk. */
export function encodeChunk({ ms, bytes }: RecordedChunk): string {
  return toLine({ ms: toTenths(ms), ...encodeContent(bytes) })
}

/** Encodes the last line. */
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
