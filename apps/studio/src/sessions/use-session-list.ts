import { useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import type { Session } from 'millrace/client'
import { accessTo, useAccess } from '../server/index.ts'
import { followList } from './follow-list.ts'
import { createSessionList } from './session-list.ts'
import type { SessionList, SessionListSnapshot } from './session-list.ts'

interface SessionListOptions {
  readonly server: string
  /** The session that is shown; the list is refreshed when its state changes. */
  readonly session: Session
  readonly isShown: boolean
}

/** A list with its actions. */
interface ShownList extends SessionListSnapshot {
  readonly retry: () => void
  readonly more: () => void
}

const locked = { status: 401, message: 'The server requires a token.' }

/** Returns the sessions of a server, refreshed while they are shown. */
export function useSessionList({ server, session, isShown }: SessionListOptions): ShownList {
  const { reachability, hasToken } = useAccess(server)
  const { ask } = accessTo(server)
  // A token can change which sessions are visible.
  const lists = useMemo(() => [false, true].map(() => createSessionList({ ask })), [ask])
  const list = lists[Number(hasToken)]!
  const snapshot = useSyncExternalStore(list.subscribe, list.getSnapshot)
  const isLocked = reachability === 'unauthorized'
  const isFollowed = isShown && !isLocked
  useEffect(() => (isFollowed ? followList(list) : undefined), [list, isFollowed])
  useEffect(
    () => (isFollowed ? refreshOnStatusChange(list, session) : undefined),
    [list, session, isFollowed],
  )
  const actions = useMemo(
    () => ({ retry: () => void list.refresh(), more: () => void list.readMore() }),
    [list],
  )
  return { ...snapshot, ...actions, problem: isLocked ? locked : snapshot.problem }
}

/** Refreshes a list whenever a run of the session starts, waits or ends; returns a function that stops it. */
function refreshOnStatusChange(list: SessionList, session: Session): () => void {
  const statusOf = () => session.getSnapshot().transcript.status
  let before = statusOf()
  return session.subscribe(() => {
    const status = statusOf()
    if (status === before) return
    before = status
    void list.refresh()
  })
}

/** The interval after which “just now” may be wrong. */
const TICK_MS = 15_000

/** Returns the time, updated often enough for minutes. */
export function useMinutes(): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  return now
}
