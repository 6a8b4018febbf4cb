import type { SessionList } from './session-list.ts'

/** Delays between refreshes in milliseconds: short after a change, then longer. */
export const refreshDelays = { first: 2_500, growth: 1.5, longest: 20_000, longestRunning: 5_000 }

/** The longest delay while the server fails. */
const LONGEST_FAILING_MS = 60_000

/** Statuses that do not change without an action of the user. */
const permanentStatuses = new Set([401, 403, 404])

/** Refreshes a list while the page is visible; returns a function that stops it. */
export function followList(list: SessionList): () => void {
  let delay = refreshDelays.first
  let timer: ReturnType<typeof setTimeout> | undefined
  let isStopped = false

  function wait(): void {
    clearTimeout(timer)
    const { problem } = list.getSnapshot()
    if (isStopped || document.hidden || permanentStatuses.has(problem?.status ?? 0)) return
    timer = setTimeout(() => void look(), delay)
  }

  async function look(): Promise<void> {
    clearTimeout(timer)
    const isNew = await list.refresh()
    delay = isNew ? refreshDelays.first : toNextDelay(delay, list)
    wait()
  }

  const onPageVisible = (): void => {
    clearTimeout(timer)
    if (document.hidden) return
    delay = refreshDelays.first
    void look()
  }

  document.addEventListener('visibilitychange', onPageVisible)
  addEventListener('online', onPageVisible)
  // Also after a refresh by the user that followed a permanent status.
  const unsubscribe = list.subscribe(wait)
  void look()
  return () => {
    isStopped = true
    unsubscribe()
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', onPageVisible)
    removeEventListener('online', onPageVisible)
  }
}

/** Returns the delay after a refresh without changes. */
export function toNextDelay(delay: number, { getSnapshot }: Pick<SessionList, 'getSnapshot'>) {
  const { rows, problem } = getSnapshot()
  if (problem) return Math.min(delay * 2, LONGEST_FAILING_MS)
  const isRunning = rows.some(({ status }) => status === 'running')
  const { growth, longest, longestRunning } = refreshDelays
  return Math.min(delay * growth, isRunning ? longestRunning : longest)
}
