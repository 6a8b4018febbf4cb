import type { SessionInfo } from '../store/index.ts'
import { findRunStart } from './find-run-start.ts'
import { fromStore } from './from-store.ts'
import { toFixedGoal } from './goal.ts'
import type { House } from './house.ts'
import type { Run } from './run.ts'
import { type Reading, toStoredSession } from './run-context.ts'
import type { StoredAnswer, StoredSession } from './session-record.ts'

/** Where a session stands. */
export interface Standing {
  readonly info: SessionInfo
  readonly stored: StoredSession
  /** The run of it that is under way here. */
  readonly run: Run | undefined
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
  const stored = toStoredSession(info)
  if (info === undefined || stored === undefined) return undefined
  return { info, stored, run: before ?? runs.active(session) }
}

/** Reads the run under way from its first message; undefined if there is none. */
export async function readActiveRun(
  house: House,
  { info, stored, run }: Standing,
): Promise<Reading | undefined> {
  const { session, tail } = info
  if (run === undefined) {
    if (!house.runs.isCarriedOn(info)) return undefined
    const after = await findRunStart(house.store, session, tail)
    return { session, after, tail, goal: house.runs.remote(session) }
  }
  const { firstId } = run
  const goesOn = tail >= firstId || stored.answers.some((answer) => answer.firstId === firstId)
  const after = goesOn
    ? await findRunStart(house.store, session, Math.min(tail, firstId))
    : firstId - 1
  return { session, after, tail, goal: run }
}

/** Reads the run that a prompt has led to, if it was sent before; undefined if it is to be asked. */
export async function readSamePrompt(
  house: House,
  session: string,
  promptKey: string | undefined,
): Promise<Reading | undefined> {
  const state = promptKey === undefined ? undefined : await findStanding(house, session)
  if (state === undefined || state.stored.promptKey !== promptKey) return undefined
  const active = await readActiveRun(house, state)
  const { info, stored } = state
  if (active !== undefined || failedEnds.has(stored.stopReason)) return active
  const after = await findRunStart(house.store, session, info.tail)
  return { session, after, tail: info.tail, goal: toFixedGoal(info.tail) }
}

/** Reads what followed from an answer. */
export function readAfterAnswer(
  house: House,
  { info, run }: Standing,
  { firstId, lastId }: StoredAnswer,
): Reading {
  const { session, tail } = info
  const going = run ?? (house.runs.isCarriedOn(info) ? house.runs.remote(session) : undefined)
  const goal = (lastId === undefined && going) || toFixedGoal(lastId ?? tail)
  return { session, after: firstId - 1, tail, goal }
}
