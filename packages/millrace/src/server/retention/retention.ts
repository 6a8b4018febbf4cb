import { badRequest, isMillraceError, type MillraceError } from '../../errors/index.ts'
import { parseJsonObject } from '../../json/index.ts'
import type { SessionInfo, SessionRow, Store } from '../../stores/port/index.ts'
import { LONGEST_TIMER_MS, startIdleTimer } from '../../streams/index.ts'
import type { ReportError } from '../handler-options.ts'
import type { RunServices } from '../runs/run-services.ts'
import { readRunFrames } from '../runs/stored-run.ts'
import type { RemovedSessions, ServerObserver } from '../server-observer.ts'
import { isNewer } from '../sessions/session-record.ts'

const DAY_MS = 86_400_000
const EVERY_MS = 600_000
const FIRST_MS = 1_000

/** The store, the limits of retention, and the receivers of its reports. */
interface RetentionOptions {
  readonly store: Store
  readonly keep: Keep
  readonly observer: Required<ServerObserver>
  readonly onError: ReportError
}

/** A background task that removes old sessions until it is stopped. */
export interface Retention {
  stop(): void
}

/**
 * Starts to remove sessions beyond the limits. Servers that share a store may do this at the same time: each session is removed
 * by one of them. The timer does not keep the process alive.
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
  let startedAt = performance.now()
  const report = (reason: RemovedSessions['reason'], removed: number): void => {
    const now = performance.now()
    if (removed > 0)
      observer.sessionsRemoved({ sessions: removed, reason, durationMs: now - startedAt })
    startedAt = now
  }
  if (days !== undefined) report('days', await store.prune(days * DAY_MS, isForeign))
  if (sessions === undefined || isStopped()) return
  for await (const removed of removeBeyond({ store, isStopped }, sessions))
    report('sessions', removed)
}

/** Rows of the session list read at once. */
const PAGE = 100

/** The store from which sessions are removed, and the stop signal. */
interface Remover {
  readonly store: Store
  readonly isStopped: () => boolean
}

/** Removes sessions after the first `kept` of the list that are neither running nor paused; yields their number for each page. */
async function* removeBeyond(remover: Remover, kept: number): AsyncGenerator<number> {
  const { store, isStopped } = remover
  for (let offset = kept; !isStopped();) {
    let removed = 0
    const { rows } = await store.list({ limit: PAGE, offset })
    for (const row of rows) {
      if (isStopped()) break
      if (await removeUnused(remover, row)) removed += 1
      else offset += 1
    }
    yield removed
    if (rows.length < PAGE) return
  }
}

/**
 * Removes a listed session if it is unused, and does not change before its removal. Does not open it: that would move it to the top of
 * the list, and another server that reads the list then would remove one too many.
 */
async function removeUnused({ store }: Remover, row: SessionRow): Promise<boolean> {
  const { session, tail, head } = row
  if (isNeeded(head)) return false
  const info = await store.info(session)
  if (info === undefined || info.lease !== undefined || info.pending > 0) return false
  return info.tail === tail && info.head === head && store.remove(session, info)
}

/** Whether a newer version of the server has stored a session. It is never removed here. */
function isForeign(head: string | undefined): boolean {
  return isNewer(head ?? '')
}

/** Whether a session is running or paused. A paused run may be resumed; `keep.days` limits for how long. */
function isNeeded(head: string | undefined): boolean {
  if (isForeign(head)) return true
  const { status } = parseJsonObject(head ?? '') ?? {}
  return status === 'running' || status === 'paused'
}

/** The retention of sessions and logs; forever by default. */
export interface Keep {
  /** Removes sessions without writes for this many days. */
  readonly days?: number
  /** Keeps this many sessions, the most recently written; removes others unless they are running or paused. */
  readonly sessions?: number
  /** Keeps the frames of this many runs in the log of a session; history and conversation stay complete. */
  readonly runs?: number
  /** Interval of removal; 10 minutes by default. */
  readonly everyMs?: number
}

/** Checks the option `keep`. */
export function checkKeep(keep: Keep): void {
  for (const [name, value] of Object.entries(keep)) {
    const isWhole = name === 'sessions' || name === 'runs'
    if (!isWhole && name !== 'days' && name !== 'everyMs')
      throw badKeep(`keep.${name} is unknown; keep has days, sessions, runs and everyMs.`)
    if (typeof value === 'number' && value > 0 && Number.isFinite(value)) {
      if (!isWhole || Number.isInteger(value)) continue
    }
    const wanted = isWhole ? 'a whole number' : 'a finite number'
    throw badKeep(`keep.${name} is ${String(value)}; it must be ${wanted} above 0, or left out.`)
  }
}

function badKeep(problem: string): MillraceError {
  return badRequest(problem)
}

/** Trims the frames of runs before the newest `keepRuns`, after run number `newest` has ended or paused. */
export async function trimRuns(
  { store, keepRuns, observer, onError }: RunServices,
  { session, log }: Pick<SessionInfo, 'session' | 'log'>,
  newest: number,
): Promise<void> {
  if (keepRuns === undefined || newest <= keepRuns) return
  try {
    const range = { before: newest - keepRuns + 2, limit: 1 }
    const [oldest] = await readRunFrames({ store, session }, range)
    const earliest = (await store.info(session))?.earliest ?? Infinity
    if (oldest === undefined || oldest.first <= earliest) return
    await store.trim(session, oldest.first, log)
    observer.logTrimmed({ session, earliest: oldest.first })
  } catch (error) {
    // The session may have been removed or recreated.
    const isGone = isMillraceError(error) && ['not_found', 'log_replaced'].includes(error.code)
    if (!isGone) onError(error, { session })
  }
}
