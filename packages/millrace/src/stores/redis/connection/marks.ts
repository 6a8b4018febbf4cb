import type { SessionState } from '../sessions/session-state.ts'

/** How far this process has seen sessions. */
export interface Marks {
  get(session: string): SessionState | undefined
  set(session: string, state: SessionState): void
  delete(session: string): void
  sessions(): readonly string[]
}

/** A mark is forgotten after so long without use. */
export const MARK_MS = 1_800_000

interface Mark {
  state: SessionState
  usedAt: number
}

/** Builds marks of at most so many sessions; the one used longest ago makes room. */
export function createMarks(maxMarks: number, now = Date.now): Marks {
  // A Map keeps the order in which keys were set.
  const marks = new Map<string, Mark>()

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
