import { type FramedBody, type RecordingCheck, spread } from './recording-check.ts'
import { type ReadMessage, readMessages, readPieces } from './read-messages.ts'

/** Number of places of a recording that get a single ping. */
const SINGLE_PINGS = 40
const ping = new TextEncoder().encode('event: ping\ndata: {"type": "ping"}\n\n')

/** Checks that pings change nothing: at single boundaries, and at all of them at once. */
export const checkPings: RecordingCheck = {
  name: 'pings change nothing',
  run(recording) {
    const { frames } = recording
    const expected = toText(recording.messages)
    const faults: string[] = []
    if (toText(readPieces(withPings(recording))) !== expected) faults.push('pings everywhere')
    const places = spread(frames.length + 1, SINGLE_PINGS)
    for (const place of places) {
      const pinged = [...frames.slice(0, place), { type: 'ping' }, ...frames.slice(place)]
      if (toText(readMessages(pinged)) !== expected) faults.push(`a ping before frame ${place + 1}`)
    }
    return { cases: places.length + 1, faults }
  },
}

function* withPings({ bytes, ends }: FramedBody): Generator<Uint8Array> {
  let at = 0
  for (const end of ends) {
    yield ping
    yield bytes.subarray(at, end)
    at = end
  }
  yield ping
  yield bytes.subarray(at)
}

function toText(messages: readonly ReadMessage[]): string {
  return JSON.stringify(messages.map(({ events }) => events))
}
