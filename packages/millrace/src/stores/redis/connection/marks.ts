import type { SessionState } from '../sessions/session-state.ts'

/** Last known states of sessions. */
export interface Marks {
  get(session: string): SessionState | undefined
  set(session: string, state: SessionState): void
  delete(session: string): void
  sessions(): readonly string[]
}

/** Lifetime of an unused state. */
export const MARK_MS = 1_800_000

/** Creates a collection with a maximum number of sessions. The least recently used are dropped first. */
export function createMarks(maxMarks: number, now = Date.now): Marks {
  // Keys of a Map keep their insertion order.
  const marks = new Map<string, { state: SessionState; usedAt: number }>()

  const get = (session: string): SessionState | undefined => {
    const mark = marks.get(session)
    if (mark === undefined) return undefined
    if (mark.usedAt > now() - MARK_MS) return mark.state
    marks.delete(session)
    return undefined
  }

  return {
    get,
    set: (session, state) => {
      marks.delete(session)
      marks.set(session, { state, usedAt: now() })
      if (marks.size <= maxMarks) return
      const [oldest] = marks.keys()
      if (oldest !== undefined) marks.delete(oldest)
    },
    delete: (session) => void marks.delete(session),
    sessions: () => [...marks.keys()],
  }
}
