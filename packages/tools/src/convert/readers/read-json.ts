import { blockKey, decodeEnvelope, type Envelope, traitsOf } from 'millrace'
import { isMillraceError, MillraceError } from 'millrace'
import { DONE_DATA, type SseEvent } from 'millrace'
import { readFrames } from './read-frames.ts'
import { checkFormat } from '../check-format.ts'
import { connect, type Stage, CUT, DONE, type WireItem } from '../stage.ts'

/** Reads JSON envelopes, as server-sent events or one per line. */
export function readJson(): Stage<Uint8Array, WireItem> {
  const frames = readFrames()
  const open = new Set<string>()
  let count = 0
  let isDone = false
  return connect(frames, {
    push({ data }: SseEvent): WireItem[] {
      isDone = data === DONE_DATA
      if (isDone) return [DONE]
      if (count++ === 0) checkFormat('json', data)
      const envelope = decode(data, count)
      track(open, envelope)
      return [envelope]
    },
    end() {
      // `[DONE]` belongs to the transport: a stored stream is complete if no block is open.
      const isKept = frames.isLines && !isDone && open.size === 0
      isDone ||= isKept
      return isKept ? [DONE] : []
    },
    notes: () => (isDone ? [] : [CUT]),
  })
}

function track(open: Set<string>, envelope: Envelope): void {
  if (traitsOf(envelope.type)?.isItem) return
  if (envelope.final) open.delete(blockKey(envelope))
  else open.add(blockKey(envelope))
}

function decode(data: string, count: number): Envelope {
  try {
    return decodeEnvelope(data)
  } catch (error) {
    if (!isMillraceError(error)) throw error
    throw new MillraceError(error.code, `Frame ${count} of the input: ${error.message}`)
  }
}
