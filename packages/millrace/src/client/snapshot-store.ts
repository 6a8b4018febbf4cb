import { createTranscript } from '../transcript/index.ts'
import type { Connection, ConnectionState } from './connection-state.ts'
import { noAnswers } from './outbox.ts'
import type { Session, SessionSnapshot } from './session.ts'

/** Holds the snapshot of a session and tells listeners when it was replaced. */
export interface SnapshotStore extends Pick<Session, 'subscribe' | 'getSnapshot'> {
  readonly publish: (change?: Partial<SessionSnapshot>) => void
  /** Changes the state of the connection; the count of losses stays unless it is told. */
  readonly move: (state: ConnectionState, change?: Partial<Connection>) => void
}

/** Creates the store of a session that nobody has asked anything. */
export function createSnapshotStore(): SnapshotStore {
  const listeners = new Set<() => void>()
  let snapshot: SessionSnapshot = {
    transcript: createTranscript(),
    connection: { state: 'idle', attempt: 0 },
    prompt: undefined,
    answers: noAnswers,
  }
  const publish = (change?: Partial<SessionSnapshot>): void => {
    snapshot = { ...snapshot, ...change }
    for (const listener of listeners) listener()
  }
  return {
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    getSnapshot: () => snapshot,
    publish,
    move(state, change) {
      const { connection } = snapshot
      // Nothing leads out of closed, whatever was still under way.
      if (connection.state === 'closed') return
      publish({ connection: { state, attempt: connection.attempt, ...change } })
    },
  }
}
