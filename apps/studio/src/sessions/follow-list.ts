import type { SessionList } from './session-list.ts'

/** How often a list is read again, in milliseconds: soon after a change, then less and less often. */
export const refreshDelays = { first: 2_500, growth: 1.5, longest: 20_000, longestRunning: 5_000 }

/** A server that fails is left alone for up to this long. */
const LONGEST_FAILING_MS = 60_000

/** These answers will be the same next time, until someone does something about it. */
const permanentStatuses = new Set([401, 403, 404])

/** Keeps a list fresh while the page is looked at; returns how to stop. */
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
  // Also when someone has asked meanwhile, after an answer that had ended it.
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

/** How long to wait after a look that showed nothing new. */
export function toNextDelay(delay: number, { getSnapshot }: Pick<SessionList, 'getSnapshot'>) {
  const { rows, problem } = getSnapshot()
  if (problem) return Math.min(delay * 2, LONGEST_FAILING_MS)
  const isRunning = rows.some(({ status }) => status === 'running')
  const { growth, longest, longestRunning } = refreshDelays
  return Math.min(delay * growth, isRunning ? longestRunning : longest)
}
