import type { JsonResponse } from '../server/index.ts'
import { appendRows, mergeFirstPage } from './merge-rows.ts'
import { decodeSessionPage } from './session-row.ts'
import type { SessionPage, SessionRow } from './session-row.ts'

/** Why a list could not be read. */
export interface ListProblem {
  /** Of HTTP; 0 if no answer came. */
  readonly status: number
  readonly message: string
}

/** What is known of a server's sessions. */
export interface SessionListSnapshot {
  readonly rows: readonly SessionRow[]
  /** How many the server has; undefined until it has said. */
  readonly total: number | undefined
  readonly problem: ListProblem | undefined
  readonly isReadingMore: boolean
}

/** A server's sessions, the one written to last first. */
export interface SessionList {
  readonly subscribe: (listener: () => void) => () => void
  readonly getSnapshot: () => SessionListSnapshot
  /** Reads the beginning again; true if anything was new. */
  readonly refresh: () => Promise<boolean>
  /** Reads the next part. */
  readonly readMore: () => Promise<void>
}

/** How many are read at a time. */
const PAGE_SIZE = 50

interface SessionListOptions {
  readonly ask: (path: string) => Promise<JsonResponse>
}

/** Creates the list of a server's sessions; nothing is read yet. */
export function createSessionList({ ask }: SessionListOptions): SessionList {
  const listeners = new Set<() => void>()
  let snapshot: SessionListSnapshot = {
    rows: [],
    total: undefined,
    problem: undefined,
    isReadingMore: false,
  }
  let refreshing: Promise<boolean> | undefined

  function change(changes: Partial<SessionListSnapshot>): void {
    snapshot = { ...snapshot, ...changes }
    for (const listener of listeners) listener()
  }

  async function readPage(offset: number): Promise<SessionPage | undefined> {
    const answer = await ask(`/agent/sessions?limit=${PAGE_SIZE}&offset=${offset}`)
    const page = answer.ok ? decodeSessionPage(answer.body) : undefined
    if (page) return page
    const { status } = answer
    const message = answer.ok ? 'The answer is no list of sessions.' : answer.message
    const { problem } = snapshot
    if (problem?.status !== status || problem.message !== message) {
      change({ problem: { status, message } })
    }
    return undefined
  }

  async function refresh(): Promise<boolean> {
    const page = await readPage(0)
    if (page === undefined) return false
    const before = snapshot
    const rows = mergeFirstPage(before.rows, page)
    const { total } = page
    const isNew = rows !== before.rows || total !== before.total || before.problem !== undefined
    // Nothing is drawn again for the same.
    if (isNew) change({ rows, total, problem: undefined })
    return isNew
  }

  return {
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    getSnapshot: () => snapshot,
    refresh: () => (refreshing ??= refresh().finally(() => (refreshing = undefined))),
    async readMore() {
      if (snapshot.isReadingMore) return
      change({ isReadingMore: true })
      const page = await readPage(snapshot.rows.length)
      const found = page && {
        rows: appendRows(snapshot.rows, page.rows),
        // An empty part is the end, whatever was said before.
        total: page.rows.length === 0 ? snapshot.rows.length : page.total,
        problem: undefined,
      }
      change({ isReadingMore: false, ...found })
    },
  }
}
