import { createTranscript, MillraceError } from 'millrace'
import type { Transcript } from 'millrace'
import type { Session, SessionSnapshot } from 'millrace/client'
import { createListeners } from '../ui/index.ts'

/** A session that cannot send: a past moment or a recording. */
export interface ReadOnlySession {
  readonly session: Session
  /** Replaces the transcript. */
  readonly show: (transcript: Transcript) => void
}

/** Creates an empty read-only session. */
export function createReadOnlySession({
  id,
  options,
}: Pick<Session, 'id' | 'options'>): ReadOnlySession {
  const listeners = createListeners()
  let snapshot = toSnapshot(createTranscript())
  const reject = () =>
    Promise.reject(
      new MillraceError('unsupported', 'Nothing can be sent: the session is read-only.'),
    )
  return {
    show(transcript) {
      if (transcript === snapshot.transcript) return
      snapshot = toSnapshot(transcript)
      listeners.notify()
    },
    session: {
      id,
      options,
      subscribe: listeners.subscribe,
      getSnapshot: () => snapshot,
      run: reject,
      answer: reject,
      note: () => {},
      watch: () => Promise.resolve(),
      close: listeners.clear,
    },
  }
}

function toSnapshot(transcript: Transcript): SessionSnapshot {
  return {
    transcript,
    connection: { state: 'idle', attempt: 0 },
    prompt: undefined,
    answers: {},
  }
}
