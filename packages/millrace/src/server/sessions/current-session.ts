import type { LogEntry, SessionInfo } from '../../stores/port/index.ts'
import { hasAt } from '../feeds/line-bytes.ts'
import { findRunStart, scanBackwards } from '../reading/find-start.ts'
import { completedAt } from '../reading/completion.ts'
import type { ServerContext } from '../server-context.ts'
import type { Run } from '../runs/run.ts'
import { endOf, findLoaded, headOf } from './load-session.ts'
import type { LogRange } from '../runs/run-services.ts'
import {
  rootAgentOf,
  type SessionHead,
  type StoredAnswer,
  type StoredSession,
} from './session-record.ts'
import { frameStart } from '../../events/index.ts'

/** The current state of a session. */
export interface CurrentSession {
  readonly info: SessionInfo
  readonly head: SessionHead
  /** Its active run on this server. */
  readonly run: Run | undefined
}

/** The current state of a session, with its record. */
export interface LoadedCurrentSession extends CurrentSession {
  readonly stored: StoredSession
}

/** Finds the current state of a session; undefined if it never had a prompt. */
export async function findCurrentSession(
  context: ServerContext,
  session: string,
): Promise<CurrentSession | undefined> {
  const { runs, store } = context
  await runs.recoverIfLapsed(session)
  // Read before the tail, so that a run that ends meanwhile is not missed.
  const before = runs.active(session)
  const info = await store.info(session)
  const head = headOf(info)
  if (info === undefined || head === undefined) return undefined
  return { info, head, run: before ?? runs.active(session) }
}

/** Loads the current state of a session with its record; undefined if it never had a prompt. */
export async function loadCurrentSession(
  context: ServerContext,
  session: string,
): Promise<LoadedCurrentSession | undefined> {
  const current = await findCurrentSession(context, session)
  const found = current && (await findLoaded(context.store, session))
  if (found === undefined) return undefined
  const { info, loaded } = found
  const run = current?.run ?? context.runs.active(session)
  return { info, head: loaded.stored, stored: loaded.stored, run }
}

/** Returns the range of the active run from its first frame; undefined if there is none. */
export async function readActiveRun(
  context: ServerContext,
  current: CurrentSession,
): Promise<LogRange | undefined> {
  const { info, run } = current
  const { session, log, tail } = info
  const place = { session, log, ...endOf(current) }
  if (run === undefined) {
    if (!context.runs.isServed(info)) return undefined
    const after = await findRunStart(context.store, place, tail)
    return { ...place, after, completion: context.runs.remote(info) }
  }
  const { firstId, isContinued } = run
  // A run that has stored nothing yet must not be confused with the one before it.
  const after =
    isContinued || tail >= firstId
      ? await findRunStart(context.store, place, Math.min(tail, firstId))
      : firstId - 1
  return { ...place, after, completion: run }
}

/** Returns the range of the active run since its last pause; undefined if there is none. */
export async function readActivePart(
  context: ServerContext,
  current: CurrentSession,
): Promise<LogRange | undefined> {
  const { info, head, run } = current
  const { session, log, tail } = info
  const place = { session, log, ...endOf(current) }
  if (run !== undefined) return { ...place, after: run.firstId - 1, completion: run }
  if (!context.runs.isServed(info)) return undefined
  const root = rootAgentOf(session, head)
  const ending = frameStart('run_end', root)
  const isEnd = ({ line }: LogEntry): boolean => hasAt(line, ending, 0)
  const after = await scanBackwards(context.store, session, tail, isEnd)
  return { ...place, after, completion: context.runs.remote(info) }
}

/** Returns the range of the newest run, which has ended or paused, from its first frame. */
export async function readNewestRun(
  context: ServerContext,
  current: CurrentSession,
): Promise<LogRange> {
  const { session, log, tail } = current.info
  const place = { session, log, ...endOf(current) }
  return {
    ...place,
    after: await findRunStart(context.store, place, tail),
    completion: completedAt(tail),
  }
}

/** Returns the range of frames that follow an answer. */
export function readAfterAnswer(
  context: ServerContext,
  current: CurrentSession,
  { firstId, lastId }: StoredAnswer,
): LogRange {
  const { info, run } = current
  const { session, log, tail } = info
  const going = run ?? (context.runs.isServed(info) ? context.runs.remote(info) : undefined)
  const completion = (lastId === undefined && going) || completedAt(lastId ?? tail)
  return { session, log, after: firstId - 1, ...endOf(current), completion }
}
