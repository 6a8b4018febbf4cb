import {
  DONE_DATA,
  encodeSse,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJsonObject,
  MillraceError,
} from 'millrace'
import {
  type RecordedBody,
  type RecordedChunk,
  type RecordedHeaders,
  type RecordedRequest,
  type RecordedResponse,
  type Recording,
  type RecordingEnd,
  recordingEnds,
} from '../recording.ts'
import { decodeContent, recordingVersion } from './encode-recording.ts'
import { parseJsonOr } from '../../parse-json-or.ts'

const LF = 0x0a
const CR = 0x0d

/** Options for decoding a recording. */
export interface DecodeRecordingOptions {
  /** Name of the file in errors. */
  readonly name?: string
}

/** Decodes a recording. Also accepts a plain body of server-sent events, or one event per line, without a request and times. */
export function decodeRecording(
  file: Uint8Array | string,
  { name = 'The recording' }: DecodeRecordingOptions = {},
): Recording {
  const bytes = typeof file === 'string' ? new TextEncoder().encode(file) : file
  const text = typeof file === 'string' ? file : new TextDecoder().decode(file)
  if (text.trim() === '') throw malformed({ name, line: 1 }, 'the file is empty; record it again.')
  if (!text.trimStart().startsWith('{')) return fromSseBody(bytes)
  const lines = text.split('\n')
  const first = parseLine(lines[0] ?? '', { name, line: 1 })
  return isHead(first) ? decodeLines(first, lines, name) : fromEventLines(lines, name)
}

/** Checks whether the first line of a file is that of a recording, not of a plain stream of events. */
export function isRecording(firstLine: string): boolean {
  return isHead(parseJsonObject(firstLine) ?? {})
}

function isHead(first: JsonObject): boolean {
  return Object.hasOwn(first, 'recording')
}

function decodeLines(first: JsonObject, lines: readonly string[], name: string): Recording {
  const head = decodeHead(first, { name, line: 1 })
  const chunks: RecordedChunk[] = []
  for (const [index, text] of lines.entries()) {
    if (index === 0 || text.trim() === '') continue
    const place = { name, line: index + 1 }
    // The process that wrote the file was killed in the middle of its last line.
    if (index === lines.length - 1 && parseJsonOr(text, undefined) === undefined) break
    const value = parseLine(text, place)
    const end = decodeEnd(value, place)
    if (end === undefined) {
      chunks.push(decodeChunk(value, place))
      continue
    }
    refuseMore(lines, index + 1, name)
    return { ...head, chunks, ...end }
  }
  return { ...head, chunks, end: 'cut', endMs: chunks.at(-1)?.ms ?? 0 }
}

function decodeEnd(
  value: JsonObject,
  place: LinePlace,
): Pick<Recording, 'end' | 'endMs'> | undefined {
  const { end, ms } = value
  if (end === undefined) return undefined
  if (!isEnd(end)) {
    const known = Object.keys(recordingEnds).join(', ')
    throw malformed(place, `end is ${JSON.stringify(end)}; it must be one of ${known}.`)
  }
  return { end, endMs: decodeTime(ms, place) }
}

function isEnd(value: JsonValue): value is RecordingEnd {
  return typeof value === 'string' && Object.hasOwn(recordingEnds, value)
}

function decodeChunk(value: JsonObject, place: LinePlace): RecordedChunk {
  const bytes = decodeContent(value)
  if (bytes !== undefined) return { ms: decodeTime(value['ms'], place), bytes }
  const problem = 'this is neither a chunk (ms, and text or base64) nor the end; fix or remove it.'
  throw malformed(place, problem)
}

function decodeTime(value: JsonValue | undefined, place: LinePlace): number {
  if (typeof value === 'number' && value >= 0) return value
  throw malformed(place, 'ms must be a number, 0 or more: the time since the response began.')
}

function refuseMore(lines: readonly string[], from: number, name: string): void {
  const index = lines.findIndex((text, at) => at >= from && text.trim() !== '')
  if (index === -1) return
  const problem = 'data follows the end; keep one recording in a file.'
  throw malformed({ name, line: index + 1 }, problem)
}

function parseLine(text: string, place: LinePlace): JsonObject {
  const value = parseJsonObject(text)
  if (value !== undefined) return value
  throw malformed(place, 'this is not a JSON object; each line must be one.')
}

/** Creates a recording from a body of server-sent events: one chunk for each, without times. */
function fromSseBody(bytes: Uint8Array): Recording {
  return toRecording(splitFrames(bytes))
}

/** Creates a recording from one event per line, framed as the APIs frame them. */
function fromEventLines(lines: readonly string[], name: string): Recording {
  const frames: string[] = []
  let needsDone = false
  for (const [index, text] of lines.entries()) {
    const data = text.trim()
    if (data === '') continue
    const event = data === DONE_DATA ? {} : parseJsonObject(data)
    if (event === undefined) {
      throw malformed(
        { name, line: index + 1 },
        'this is not an event; each line must be one JSON object.',
      )
    }
    const isNamed = typeof event['type'] === 'string'
    if (!isNamed) needsDone = data !== DONE_DATA
    frames.push(encodeSse({ ...(isNamed && { event: String(event['type']) }), data }))
  }
  // Chat completions have no event types, and end with a special frame.
  if (needsDone) frames.push(encodeSse({ data: DONE_DATA }))
  const encoder = new TextEncoder()
  return toRecording(frames.map((frame) => encoder.encode(frame)))
}

function toRecording(frames: readonly Uint8Array[]): Recording {
  const chunks: RecordedChunk[] = frames.map((bytes) => ({ ms: 0, bytes }))
  const headers = { 'content-type': 'text/event-stream; charset=utf-8' }
  return { response: { status: 200, headers, waitMs: 0 }, chunks, end: 'complete', endMs: 0 }
}

/** Splits a body after each empty line; the remainder is the last part. */
function splitFrames(bytes: Uint8Array): Uint8Array[] {
  const frames: Uint8Array[] = []
  let frameStart = 0
  let lineStart = 0
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] !== LF && bytes[at] !== CR) continue
    const isEmpty = at === lineStart
    if (bytes[at] === CR && bytes[at + 1] === LF) at++
    lineStart = at + 1
    if (!isEmpty) continue
    frames.push(new Uint8Array(bytes.subarray(frameStart, lineStart)))
    frameStart = lineStart
  }
  if (frameStart < bytes.length) frames.push(new Uint8Array(bytes.subarray(frameStart)))
  return frames
}

function decodeHead(
  head: JsonObject,
  place: LinePlace,
): Pick<Recording, 'request' | 'response' | 'at'> {
  const { recording, request, response, at } = head
  if (recording !== recordingVersion) {
    const found = JSON.stringify(recording)
    const problem = `recording is ${found}, and only version ${recordingVersion} is supported; use a newer millrace, or record again.`
    throw malformed(place, problem)
  }
  return {
    ...(request != null && { request: decodeRequest(request, place) }),
    response: decodeResponse(response, place),
    ...(typeof at === 'string' && { at }),
  }
}

function decodeRequest(value: JsonValue, place: LinePlace): RecordedRequest {
  if (!isJsonObject(value)) throw malformed(place, 'request must be an object; remove or fix it.')
  const { method, path, headers, body, prompts } = value
  if (typeof method !== 'string' || typeof path !== 'string') {
    throw malformed(place, 'request.method and request.path must be texts, such as "POST" and "/".')
  }
  return {
    method,
    path,
    headers: decodeHeaders(headers, 'request', place),
    ...(body != null && { body: decodeBody(body, place) }),
    hasPrompts: prompts !== 'omitted',
  }
}

function decodeBody(value: JsonValue, place: LinePlace): RecordedBody {
  if (isJsonObject(value) && typeof value['omitted'] === 'number') {
    return { omittedBytes: value['omitted'] }
  }
  const bytes = decodeContent(value)
  if (bytes !== undefined) return { bytes }
  throw malformed(place, 'request.body must have text, base64 or omitted; remove or fix it.')
}

function decodeResponse(value: JsonValue | undefined, place: LinePlace): RecordedResponse {
  if (!isJsonObject(value))
    throw malformed(place, 'response is missing; give it a status at least.')
  const { status, headers, ms } = value
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 200 || status > 599) {
    throw malformed(place, 'response.status must be a whole number from 200 to 599.')
  }
  return {
    status,
    headers: decodeHeaders(headers, 'response', place),
    waitMs: typeof ms === 'number' && ms > 0 ? ms : 0,
  }
}

function decodeHeaders(
  value: JsonValue | undefined,
  owner: string,
  place: LinePlace,
): RecordedHeaders {
  if (value == null) return {}
  if (!isJsonObject(value)) throw malformed(place, `${owner}.headers must be an object.`)
  const entries = Object.entries(value)
  const odd = entries.find(([, text]) => typeof text !== 'string')
  if (odd) throw malformed(place, `${owner}.headers[${JSON.stringify(odd[0])}] must be a text.`)
  return Object.fromEntries(entries.map(([name, text]) => [name.toLowerCase(), String(text)]))
}

interface LinePlace {
  readonly name: string
  readonly line: number
}

function malformed({ name, line }: LinePlace, problem: string): MillraceError {
  const message = `${name}, line ${line}: ${problem}`
  return new MillraceError('recording_malformed', message, { details: { line } })
}
