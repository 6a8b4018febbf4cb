import type { LogEntry, SessionInfo } from '../../store/index.ts'
import { type LoadedStanding, readAfterAnswer } from '../standing.ts'
import { hasAt } from '../feeds/line-head.ts'
import { findBack } from '../find-back.ts'
import { endOf } from '../find-session.ts'
import { toFixedGoal } from '../goal.ts'
import type { House } from '../house.ts'
import { checkCursor, checkPosition, type Cursor } from '../requests/cursor.ts'
import type { Reading } from '../run-context.ts'
import { rootAgentOf, type StoredRequest } from '../session-record.ts'
import type { RunInput } from './run-input.ts'
import { findTaken } from './thread-answers.ts'

const encoder = new TextEncoder()

/** The request that has asked under this id before. */
export function findRequest(
  state: LoadedStanding | undefined,
  { runId }: RunInput,
): StoredRequest | undefined {
  return state?.stored.requests?.findLast(({ id }) => id === runId)
}

/** Reads what a request has led to when it came first. */
export function readRequest(house: House, state: LoadedStanding, request: StoredRequest): Reading {
  const { firstId, lastId } = request
  const goal = lastId === undefined ? goalOf(house, state) : toFixedGoal(lastId)
  const { session, log } = state.info
  checkPosition(firstId - 1, state.info)
  return { session, log, after: firstId - 1, ...endOf(state), goal }
}

/**
 * Goes on after what a client has read of a run, to the end of that run: it is known by its id or by what was
 * answered, else it is the one under way.
 */
export function readRest(
  house: House,
  state: LoadedStanding,
  input: RunInput,
  cursor: Cursor,
): Reading {
  const { session, log } = state.info
  checkCursor(cursor, state.info)
  const request = findRequest(state, input)
  const answer = request === undefined ? findTaken(input, state.stored.answers) : undefined
  const { goal } =
    request !== undefined
      ? readRequest(house, state, request)
      : answer !== undefined
        ? readAfterAnswer(house, state, answer)
        : { goal: goalOf(house, state) }
  return { session, ...cursor, log, ...endOf(state), goal }
}

/** Reads the part of a run that is under way, from its first message; undefined if none is. */
export async function readActivePart(
  house: House,
  state: LoadedStanding,
): Promise<Reading | undefined> {
  const { info, run } = state
  const { session, log, tail } = info
  if (run !== undefined) return { session, log, after: run.firstId - 1, ...endOf(state), goal: run }
  if (!house.runs.isCarriedOn(info)) return undefined
  const root = rootAgentOf(session, state.head)
  const ending = encoder.encode(`{"type":"meta_end","agent":${JSON.stringify(root)},`)
  const isEnd = ({ line }: LogEntry): boolean => hasAt(line, ending, 0)
  const after = await findBack(house.store, session, tail, isEnd)
  return { session, log, after, ...endOf(state), goal: house.runs.remote(info) }
}

/** Reads nothing: what there is to say stands beside the log. */
export function readNothing(session: string, { tail, log }: Pick<SessionInfo, 'tail' | 'log'>) {
  return { session, log, after: tail, tail, goal: toFixedGoal(tail) }
}

/** Until when a client reads: to the end of the run under way, or what there is. */
function goalOf({ runs }: House, { info, run }: LoadedStanding): Reading['goal'] {
  if (run !== undefined) return run
  return runs.isCarriedOn(info) ? runs.remote(info) : toFixedGoal(info.tail)
}
