import { createEnvelopeDecoder } from '../envelope/index.ts'
import { createEventDecoder, DONE_DATA } from '../sse/index.ts'
import {
  createTranscript,
  endTranscript,
  reduceTranscript,
  type Transcript,
} from '../transcript/index.ts'
import { toLoss } from './loss.ts'
import { noAnswers } from './outbox.ts'
import type { Want } from './outgoing.ts'
import type { SessionOptions } from './session.ts'
import type { SnapshotStore } from './snapshot-store.ts'

/**
 * Reads one answer of the server into the transcript: gives a function that takes the next piece of the network,
 * shows what it has brought, and tells whether `[DONE]` has come.
 */
export function readAnswer(
  { onFrame }: SessionOptions,
  store: SnapshotStore,
  want: Want,
): (piece: Uint8Array) => boolean {
  let { transcript } = store.getSnapshot()
  let isFirst = want === 'run'
  let isEnded = false
  const decode = createEnvelopeDecoder()
  const decoder = createEventDecoder({
    onEvent({ id: position, data }) {
      if (isEnded) return
      const id = position ? Number(position) : undefined
      onFrame?.({ id, data })
      if (isFirst && (id ?? Infinity) <= transcript.lastId) {
        transcript = createTranscript() // a log that began anew, as when a server lost its store
      }
      isFirst = false
      isEnded = data === DONE_DATA
      const next = isEnded
        ? endTranscript(transcript)
        : reduceTranscript(transcript, decode(data), id)
      if (next.gapAfter !== undefined) throw toLoss('The stream has a gap.')
      transcript = next
    },
  })
  return (piece) => {
    try {
      decoder.feed(piece)
    } finally {
      show(store, transcript)
    }
    return isEnded
  }
}

function show({ getSnapshot, publish }: SnapshotStore, transcript: Transcript): void {
  const { transcript: before, connection, prompt, answers } = getSnapshot()
  if (transcript === before) return
  const { lastId, pending } = transcript
  const isNew = lastId === 0 || lastId !== before.lastId // foreign streams have no ids
  publish({
    transcript,
    connection: isNew && connection.attempt ? { ...connection, attempt: 0 } : connection,
    prompt: isNew ? undefined : prompt,
    answers: pending.length > 0 ? answers : noAnswers,
  })
}
