import { parseJsonObject } from 'millrace'
import { DONE_DATA, encodeSse } from 'millrace'
import type { RecordedChunk, Recording } from '../recording.ts'
import { malformed } from './malformed.ts'

/** Creates a recording from a body of server-sent events: one chunk for each, without times. */
export function fromSseBody(bytes: Uint8Array): Recording {
  return toRecording(splitFrames(bytes))
}

/** Creates a recording from one event per line, framed as the APIs frame them. */
export function fromEventLines(lines: readonly string[], name: string): Recording {
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

const LF = 0x0a
const CR = 0x0d

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
