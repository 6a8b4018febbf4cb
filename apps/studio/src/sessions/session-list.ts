import type { JsonResponse } from '../server/index.ts'
import { createListeners } from '../ui/index.ts'
import { appendRows, mergeFirstPage } from './merge-rows.ts'
import { decodeSessionPage } from './session-row.ts'
import type { SessionPage, SessionRow } from './session-row.ts'

/** Reason why a list could not be read. */
export interface ListProblem {
  /** HTTP status; 0 without a response. */
  readonly status: number
  readonly message: string
}

/** State of a server's list of sessions. */
export interface SessionListSnapshot {
  readonly rows: readonly SessionRow[]
  /** Number of all sessions; undefined until it is known. */
  readonly total: number | undefined
  readonly problem: ListProblem | undefined
  readonly isReadingMore: boolean
}

/** The sessions of a server, the latest first. */
export interface SessionList {
  readonly subscribe: (listener: () => void) => () => void
  readonly getSnapshot: () => SessionListSnapshot
  /** Reads the first page again; true if anything changed. */
  readonly refresh: () => Promise<boolean>
  /** Reads the next page. */
  readonly readMore: () => Promise<void>
}

/** The number of sessions in a page. */
const PAGE_SIZE = 50

interface SessionListOptions {
  readonly ask: (path: string) => Promise<JsonResponse>
}

/** Creates an empty list of a server's sessions. */
export function createSessionList({ ask }: SessionListOptions): SessionList {
  const listeners = createListeners()
  let snapshot: SessionListSnapshot = {
    rows: [],
    total: undefined,
    problem: undefined,
    isReadingMore: false,
  }
  let refreshing: Promise<boolean> | undefined

  function change(changes: Partial<SessionListSnapshot>): void {
    snapshot = { ...snapshot, ...changes }
    listeners.notify()
  }

  async function readPage(offset: number): Promise<SessionPage | undefined> {
    const answer = await ask(`/agent/sessions?limit=${PAGE_SIZE}&offset=${offset}`)
    const page = answer.ok ? decodeSessionPage(answer.body) : undefined
    if (page) return page
    const { status } = answer
    const message = answer.ok ? 'The response is not a list of sessions.' : answer.message
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
    // Equal lists are not drawn again.
    if (isNew) change({ rows, total, problem: undefined })
    return isNew
  }

  return {
    subscribe: listeners.subscribe,
    getSnapshot: () => snapshot,
    refresh: () => (refreshing ??= refresh().finally(() => (refreshing = undefined))),
    async readMore() {
      if (snapshot.isReadingMore) return
      change({ isReadingMore: true })
      const page = await readPage(snapshot.rows.length)
      const found = page && {
        rows: appendRows(snapshot.rows, page.rows),
        // An empty page is the end, for any total.
        total: page.rows.length === 0 ? snapshot.rows.length : page.total,
        problem: undefined,
      }
      change({ isReadingMore: false, ...found })
    },
  }
}
