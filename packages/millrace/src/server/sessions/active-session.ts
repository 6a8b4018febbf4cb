import type { SessionInfo } from '../../store/index.ts'
import { findRunStart } from '../reading/find-run-start.ts'
import { endOf } from './find-session.ts'
import { fromStore } from '../map-store-errors.ts'
import { toFixedGoal } from '../reading/completion.ts'
import type { House } from '../server-context.ts'
import type { Run } from '../runs/run.ts'
import { findLoaded, headOf } from './load-session.ts'
import type { Reading } from '../runs/run-services.ts'
import type { SessionHead, StoredAnswer, StoredSession } from './session-record.ts'

/** Where a session stands. */
export interface Standing {
  readonly info: SessionInfo
  readonly head: SessionHead
  /** The run of it that is under way here. */
  readonly run: Run | undefined
}

/** Where a session stands, with its state. */
export interface LoadedStanding extends Standing {
  readonly stored: StoredSession
}

/** Runs that came to nothing: the same prompt again is meant to be asked again. */
const failedEnds: ReadonlySet<string | null> = new Set(['error', 'aborted'])

/** Looks where a session stands; undefined if nothing was ever asked in it. */
export async function findStanding(house: House, session: string): Promise<Standing | undefined> {
  const { runs, store } = house
  await runs.revive(session)
  // Looked at before the tail is, so that a run which ends meanwhile is not taken for none.
  const before = runs.active(session)
  const info = await fromStore(store.info(session))
  const head = headOf(info)
  if (info === undefined || head === undefined) return undefined
  return { info, head, run: before ?? runs.active(session) }
}

/** Looks where a session stands, and reads its state; undefined if nothing was ever asked in it. */
export async function loadStanding(
  house: House,
  session: string,
): Promise<LoadedStanding | undefined> {
  const standing = await findStanding(house, session)
  const found = standing && (await findLoaded(house.store, session))
  if (found === undefined) return undefined
  const { info, loaded } = found
  const run = standing?.run ?? house.runs.active(session)
  return { info, head: loaded.stored, stored: loaded.stored, run }
}

/** Reads the run under way from its first message; undefined if there is none. */
export async function readActiveRun(
  house: House,
  standing: Standing,
): Promise<Reading | undefined> {
  const { info, run } = standing
  const { session, log, tail } = info
  const place = { session, log, ...endOf(standing) }
  if (run === undefined) {
    if (!house.runs.isCarriedOn(info)) return undefined
    const after = await findRunStart(house.store, place, tail)
    return { ...place, after, goal: house.runs.remote(info) }
  }
  const { firstId, isContinued } = run
  // A run that has stored nothing yet must not be taken for the one before it.
  const after =
    isContinued || tail >= firstId
      ? await findRunStart(house.store, place, Math.min(tail, firstId))
      : firstId - 1
  return { ...place, after, goal: run }
}

/** Reads the run that a prompt has led to, if it was sent before; undefined if it is to be asked. */
export async function readSamePrompt(
  house: House,
  session: string,
  key: string | undefined,
): Promise<Reading | undefined> {
  const state = key === undefined ? undefined : await findStanding(house, session)
  if (state === undefined || state.head.prompt?.key !== key) return undefined
  const active = await readActiveRun(house, state)
  if (active !== undefined || failedEnds.has(state.head.stopReason)) return active
  return readNewestRun(house, state)
}

/** Reads the newest run, which has ended or paused, from its first message. */
export async function readNewestRun(house: House, standing: Standing): Promise<Reading> {
  const { session, log, tail } = standing.info
  const place = { session, log, ...endOf(standing) }
  return { ...place, after: await findRunStart(house.store, place, tail), goal: toFixedGoal(tail) }
}

/** Reads what followed from an answer. */
export function readAfterAnswer(
  house: House,
  standing: Standing,
  { firstId, lastId }: StoredAnswer,
): Reading {
  const { info, run } = standing
  const { session, log, tail } = info
  const going = run ?? (house.runs.isCarriedOn(info) ? house.runs.remote(info) : undefined)
  const goal = (lastId === undefined && going) || toFixedGoal(lastId ?? tail)
  return { session, log, after: firstId - 1, ...endOf(standing), goal }
}
