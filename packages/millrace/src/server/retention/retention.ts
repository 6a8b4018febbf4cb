import type { Store } from '../../stores/port/index.ts'
import { LONGEST_TIMER_MS, startIdleTimer } from '../../streams/index.ts'
import type { ReportError } from '../handler-options.ts'
import type { RemovedSessions, ServerObserver } from '../server-observer.ts'
import type { Keep } from './keep.ts'
import { removeBeyond } from './remove-beyond.ts'

const DAY_MS = 86_400_000
const EVERY_MS = 600_000
const FIRST_MS = 1_000

/** The store, the limits of retention, and the receivers of its reports. */
export interface RetentionOptions {
  readonly store: Store
  readonly keep: Keep
  readonly observer: Required<ServerObserver>
  readonly onError: ReportError
}

/** Removes old sessions from time to time, until it is stopped. */
export interface Retention {
  stop(): void
}

/**
 * Starts to remove sessions that are not to be kept. Servers that share a store may do this at once: each session is removed by one of
 * them. Its timer does not keep a process alive.
 */
export function startRetention(options: RetentionOptions): Retention {
  const { keep, onError } = options
  const { days, sessions, everyMs = EVERY_MS } = keep
  let isStopped = false
  let timer: ReturnType<typeof setTimeout> | undefined

  const sweep = async (): Promise<void> => {
    try {
      await removeOld(options, () => isStopped)
    } catch (error) {
      if (!isStopped) onError(error)
    }
    plan(everyMs)
  }

  const plan = (ms: number): void => {
    if (isStopped) return
    timer = startIdleTimer(() => void sweep(), Math.min(ms, LONGEST_TIMER_MS))
  }

  if (days !== undefined || sessions !== undefined) plan(Math.min(FIRST_MS, everyMs))
  return {
    stop: () => {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

async function removeOld(
  { store, keep: { days, sessions }, observer }: RetentionOptions,
  isStopped: () => boolean,
): Promise<void> {
  const tell = async (
    reason: RemovedSessions['reason'],
    remove: () => Promise<number>,
  ): Promise<void> => {
    const startedAt = performance.now()
    const count = await remove()
    const durationMs = performance.now() - startedAt
    if (count > 0) observer.sessionsRemoved({ sessions: count, reason, durationMs })
  }
  if (days !== undefined) await tell('days', () => store.prune(days * DAY_MS))
  if (sessions === undefined || isStopped()) return
  await tell('sessions', () => removeBeyond({ store, isStopped }, sessions))
}
