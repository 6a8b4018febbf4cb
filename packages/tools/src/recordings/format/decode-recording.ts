import { type JsonObject, type JsonValue, parseJsonObject } from 'millrace'
import {
  type RecordedChunk,
  type Recording,
  type RecordingEnd,
  recordingEnds,
} from '../recording.ts'
import { decodeContent } from './content.ts'
import { decodeHead } from './decode-head.ts'
import { fromEventLines, fromSseBody } from './from-plain-body.ts'
import { type LinePlace, malformed } from './malformed.ts'

/** Options for decoding a recording. */
export interface DecodeRecordingOptions {
  /** Name of the file in errors. */
  readonly name?: string
}

/**
 * Decodes a recording. Also accepts a plain body of server-sent events, or one event per line, without a request
 * and times.
 */
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
    if (index === lines.length - 1 && tryParse(text) === undefined) break
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

function tryParse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}
