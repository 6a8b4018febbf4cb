import {
  type AgentState,
  answerPause,
  answersIn,
  type GivenAnswer,
  type PauseAnswers,
} from '../../agent/index.ts'
import { isMillraceError } from '../../errors/index.ts'
import type { SessionInfo } from '../../store/index.ts'
import { checkCursor } from '../requests/cursor.ts'
import { fromStore } from '../from-store.ts'
import { type Goal, toFixedGoal } from '../goal.ts'
import { launch } from '../launch.ts'
import { openIdle } from './open-idle.ts'
import { encodeCommand } from './run-command.ts'
import type { Run } from '../run.ts'
import {
  inPlace,
  isElsewhere,
  type Reading,
  type RunContext,
  sessionMissing,
  toStoredSession,
} from '../run-context.ts'
import { encodeRecord, type StoredSession } from '../session-record.ts'

/**
 * Takes answers to calls that wait. The reading covers the run that goes on; it is empty while other calls
 * still wait; for results that were taken before it covers what followed from them. Needs the session's lock.
 */
export async function answer(
  context: RunContext,
  session: string,
  answers: PauseAnswers,
): Promise<Reading> {
  const { store, runs } = context
  // Looked at once, before the store is: a run that ends meanwhile must not look like one that never began.
  let run = runs.get(session)
  // The calls are announced a moment before the run that announced them is put away.
  if (run?.isEnding() === true) {
    await run.over
    run = undefined
  }
  if (run !== undefined && takesAnswers(run, answers))
    return { session, after: run.lastWritten(), goal: run }
  const info = await fromStore(store.info(session))
  const before = toStoredSession(info)
  if (info === undefined || before?.state === undefined) throw sessionMissing(session)
  const { state, complete, changed } = answerPause(before.state, answers)
  // A run under way has had them already, or it would have taken them; its record is its own to write.
  if (run !== undefined) return repeat({ info, before, answers, goal: run })
  if (isElsewhere(info)) {
    const goal = context.remote(session)
    if (!changed) return repeat({ info, before, answers, goal })
    await fromStore(store.send(session, encodeCommand({ type: 'answer', answers })))
    return { session, after: info.tail, goal }
  }
  if (complete) {
    return inPlace(context, session, () => goOn(context, info, { ...before, state }))
  }
  return changed ? keep(context, info, { ...before, state }) : repeat({ info, before, answers })
}

/** Gives answers to a run under way, where a sub-agent waits while others go on; false if none waits for them now. */
function takesAnswers({ control }: Run, answers: PauseAnswers): boolean {
  try {
    return control.answer(answers)
  } catch (error) {
    if (isMillraceError(error) && error.code === 'not_found') return false
    throw error
  }
}

/** Every call has its answer: the run goes on, also when the process that took the last one has died since. */
async function goOn(context: RunContext, known: SessionInfo, before: Paused): Promise<Reading> {
  const info = await openIdle(context, known.session, known)
  const firstId = info.tail + 1
  const told = new Set(before.answers.map(keyOf))
  const fresh = answersIn(before.state).filter((given) => !told.has(keyOf(given)))
  const added = fresh.map((given) => ({ ...given, firstId }))
  const answers = [...before.answers, ...added].slice(-context.maxAnswers)
  const updatedAt = context.now()
  const stored = { ...before, answers, updatedAt, status: 'running', stopReason: null } as const
  return launch(context, { info, stored, input: { state: before.state } })
}

/** Other calls still wait: what came is stored, and there is nothing to read yet. */
async function keep(context: RunContext, known: SessionInfo, stored: Paused): Promise<Reading> {
  const { store, now } = context
  const { session, epoch, tail } = await openIdle(context, known.session, known)
  const record = encodeRecord({ ...stored, updatedAt: now() })
  await fromStore(store.append({ session, epoch, tail, lines: [], record, lease: 'release' }))
  return { session, after: tail, goal: toFixedGoal(tail) }
}

/** What the first request with these results was answered: the same messages, however late it is. */
function repeat({ info, before, answers, goal }: Repetition): Reading {
  const { session, tail } = info
  const { results = [], decisions = [] } = answers
  const asked = new Set([
    ...results.map(({ toolUseId }) => keyOf({ toolUseId, kind: 'result' })),
    ...decisions.map(({ toolUseId }) => keyOf({ toolUseId, kind: 'decision' })),
  ])
  const latest = before.answers.findLast((given) => asked.has(keyOf(given)))
  if (latest === undefined) return { session, after: tail, goal: toFixedGoal(tail) }
  const after = latest.firstId - 1
  checkCursor(after, info)
  const lastId = latest.lastId ?? tail
  return { session, after, goal: (latest.lastId === undefined && goal) || toFixedGoal(lastId) }
}

function keyOf({ toolUseId, kind }: GivenAnswer): string {
  return `${kind} ${toolUseId}`
}

interface Repetition {
  readonly info: SessionInfo
  readonly before: StoredSession
  readonly answers: PauseAnswers
  /** That of the run that was under way when the request came. */
  readonly goal?: Goal
}

type Paused = StoredSession & { readonly state: AgentState }
