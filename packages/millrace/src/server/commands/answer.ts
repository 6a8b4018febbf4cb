import {
  type AgentState,
  answerPause,
  answersIn,
  expireRequests,
  unreportedAnswers,
} from '../../agent/index.ts'
import type { GivenAnswer, PauseAnswers } from '../../agent/port/index.ts'
import { isMillraceError, MillraceError } from '../../errors/index.ts'
import { createEnvelopeWriter } from '../../exit/index.ts'
import type { SessionInfo } from '../../stores/port/index.ts'
import { checkPosition } from '../requests/cursor.ts'
import { endOf } from '../sessions/find-session.ts'
import { mapStoreErrors } from '../map-store-errors.ts'
import { type Completion, completedAt } from '../reading/completion.ts'
import { launch } from '../runs/launch.ts'
import { appendIdle, openIdle } from './open-idle.ts'
import { findReceipt, type MessageKey, toReceipts } from './receipts.ts'
import { keepReceipt, wakeOwner } from './run-command.ts'
import { submitAnswers } from './submit-answers.ts'
import type { Run } from '../runs/run.ts'
import {
  withRunSlot,
  isElsewhere,
  type LogRange,
  type RunServices,
  sessionMissing,
} from '../runs/run-services.ts'
import { findLoaded, headOf } from '../sessions/load-session.ts'
import type { RecordWriter } from '../sessions/record-writer.ts'
import type { StoredAnswer, StoredSession } from '../sessions/session-record.ts'

/**
 * Takes answers to calls that wait. The reading covers the run that goes on; while other calls still wait it reports
 * only these answers; for answers that were taken before it covers what followed from them. Needs the session's lock.
 */
export async function answer(
  services: RunServices,
  session: string,
  given: PauseAnswers,
  key?: MessageKey,
): Promise<LogRange> {
  checkHashes(services, given)
  const at = services.now()
  const { store } = services
  // The first answer to a call counts, so that what is repeated needs no more than the refusal of other content.
  const info = key && (await mapStoreErrors(store.info(session)))
  const isKnown = (await findReceipt(store, info, key)) !== undefined
  return take(services, session, withTime(given, at), { at, ...(key && !isKnown && { key }) })
}

/** Takes answers that were received at a time. */
async function take(
  services: RunServices,
  session: string,
  answers: PauseAnswers,
  { at, key }: Received,
): Promise<LogRange> {
  const { store, runs } = services
  // Looked at once, before the store is: a run that ends meanwhile must not look like one that never began.
  let run = runs.get(session)
  // The calls are announced a moment before the run that announced them is put away.
  if (run?.isEnding() === true) {
    await run.over
    run = undefined
  }
  if (run !== undefined && awaitsAnswers(run, answers))
    return giveStored(services, run, answers, key)
  const found = await findLoaded(store, session)
  if (found?.loaded.stored.state === undefined) throw sessionMissing(session)
  const { info } = found
  const { stored, writer: record } = found.loaded
  const before: Paused = { ...stored, state: found.loaded.stored.state }
  const elsewhere = run === undefined && isElsewhere(info)
  const expired = expireRequests(before.state, at)
  if (expired !== before.state && run === undefined) {
    // The server that has the run lets them expire; what it makes of these answers is told below.
    if (!elsewhere) {
      // Stored first: these calls do not run, whatever becomes of the request.
      await settle(services, { info, record, at }, { ...before, state: expired })
      return take(services, session, answers, { at, ...(key && { key }) })
    }
  }
  const { state, changed } = answerPause(before.state, answers, at)
  if (run !== undefined || elsewhere) {
    const completion = run ?? services.remote(info)
    if (!changed) return repeat({ info, before, answers, completion })
    // A run of this server that does not wait for them yet is only just carried on; its record is its own to write.
    await submitAnswers(services, { session, log: info.log, run: headOf(info)?.runs ?? 0 }, answers)
    await keepReceipt(services, info, key, 'done')
    await wakeOwner(services, session)
    return { session, log: info.log, after: info.tail, completion }
  }
  return changed || isComplete(before.state, at)
    ? settle(services, { info, record, at, key }, { ...before, state })
    : repeat({ info, before, answers })
}

/**
 * Stores answers and gives them to a run that waits for them. Stored first: another server may have stored other ones, which then count.
 */
async function giveStored(
  services: RunServices,
  run: Run,
  answers: PauseAnswers,
  key: MessageKey | undefined,
): Promise<LogRange> {
  const { session, log, number } = run
  const range = { session, log, after: run.lastWritten(), completion: run }
  const place = { session, log, run: number }
  for (const { name, stored, command } of await submitAnswers(services, place, answers)) {
    if (run.inbox.has(name)) continue
    run.inbox.add(name, stored)
    takesAnswers(run, command.answers)
  }
  await keepReceipt(services, run, key, 'done')
  return range
}

/** Refuses approvals that do not say what was shown, where the server asks for that. [APR-2] */
function checkHashes({ requireInputHash = false }: RunServices, { decisions = [] }: PauseAnswers) {
  const blind = decisions.find(
    ({ outcome, inputHash }) => outcome === 'approved' && inputHash === undefined,
  )
  if (!requireInputHash || blind === undefined) return
  throw new MillraceError(
    'bad_request',
    `The approval of call ${blind.toolUseId} lacks \`input_hash\`; send the hash of the arguments that were shown, as PROTOCOL.md describes [APR-1].`,
  )
}

/** A decision counts from when this server, or the one that passed it on, received it. */
function withTime({ results = [], decisions = [] }: PauseAnswers, at: number): PauseAnswers {
  return { results, decisions: decisions.map((decision) => ({ at, ...decision })) }
}

/** Stores what was answered: the run goes on if that is all that it waited for. */
function settle(services: RunServices, place: Place, stored: Paused): Promise<LogRange> {
  if (!isComplete(stored.state, place.at)) return keep(services, place, stored)
  return withRunSlot(services, place.info.session, () => resume(services, place, stored))
}

/** Whether an agent that waited has all that it waited for. */
function isComplete(state: AgentState, at: number): boolean {
  return answerPause(state, {}, at).complete
}

/** Whether a sub-agent of a run under way waits for answers. */
export function awaitsAnswers({ control }: Run, answers: PauseAnswers): boolean {
  return unlessUnknown(() => control.awaits(answers))
}

/** Gives answers to a run under way, where a sub-agent waits while others go on; false if none waits for them now. */
export function takesAnswers({ control }: Run, answers: PauseAnswers): boolean {
  return unlessUnknown(() => control.answer(answers))
}

function unlessUnknown(task: () => boolean): boolean {
  try {
    return task()
  } catch (error) {
    if (isMillraceError(error) && error.code === 'not_found') return false
    throw error
  }
}

/** Every call has its answer: the run goes on, also when the process that took the last one has died since. */
async function resume(
  services: RunServices,
  { info: known, record, key }: Place,
  before: Paused,
): Promise<LogRange> {
  const info = await openIdle(services, known.session, known)
  const firstId = info.tail + 1
  const answers = addAnswers(services, before, { firstId })
  const updatedAt = services.now()
  const stored = { ...before, answers, updatedAt, status: 'running', stopReason: null } as const
  const commands = toReceipts(key)
  return launch(services, { info, stored, record, input: { state: before.state }, commands })
}

/** Stores answers while other calls still wait, and tells readers that these calls are no longer pending. */
async function keep(
  services: RunServices,
  { info: known, record, key }: Place,
  stored: Paused,
): Promise<LogRange> {
  const { now, maxLineBytes: maxBytes } = services
  const info = await openIdle(services, known.session, known)
  const { session, log, tail } = info
  const unreported = unreportedAnswers(stored.state)
  const writer = createEnvelopeWriter({ maxBytes })
  const texts: string[] = []
  let { lastDecision } = stored
  for (const { event } of unreported) {
    texts.push(...writer.write(event))
    if (event.decision !== undefined) lastDecision = tail + texts.length
  }
  const lastId = tail + texts.length
  const state = unreported.reduce((told, { change }) => change(told), stored.state)
  const answers = addAnswers(services, stored, { firstId: tail + 1, lastId })
  const kept = { ...stored, answers, state, updatedAt: now(), recordedAt: lastId }
  const decided = { ...kept, ...(lastDecision !== undefined && { lastDecision }) }
  const changes = { ...record.encode(decided, lastId), commands: toReceipts(key) }
  await appendIdle(services, info, texts, changes)
  return { session, log, after: tail, completion: completedAt(lastId) }
}

/** The answers that a session remembers, with those that its state has taken since. */
function addAnswers(
  { maxAnswers }: RunServices,
  { answers, state }: Paused,
  place: Pick<StoredAnswer, 'firstId' | 'lastId'>,
): readonly StoredAnswer[] {
  const known = new Set(answers.map(keyOf))
  const fresh = answersIn(state).filter((given) => !known.has(keyOf(given)))
  return [...answers, ...fresh.map((given) => ({ ...given, ...place }))].slice(-maxAnswers)
}

/** What the first request with these results was answered: the same messages, however late it is. */
function repeat({ info, before, answers, completion }: Repetition): LogRange {
  const { session, log, tail } = info
  const { results = [], decisions = [] } = answers
  const asked = new Set([
    ...results.map(({ toolUseId }) => keyOf({ toolUseId, kind: 'result' })),
    ...decisions.map(({ toolUseId }) => keyOf({ toolUseId, kind: 'decision' })),
  ])
  const latest = before.answers.findLast((given) => asked.has(keyOf(given)))
  if (latest === undefined) return { session, log, after: tail, completion: completedAt(tail) }
  const after = latest.firstId - 1
  checkPosition(after, info)
  const lastId = latest.lastId ?? tail
  const { lastRollback = tail } = before
  return {
    session,
    log,
    after,
    // Frame for frame what the first request got, unless some of it is void since.
    ...(lastRollback > after && endOf({ info, head: before })),
    completion: (latest.lastId === undefined && completion) || completedAt(lastId),
  }
}

function keyOf({ toolUseId, kind }: GivenAnswer): string {
  return `${kind} ${toolUseId}`
}

interface Repetition {
  readonly info: SessionInfo
  readonly before: StoredSession
  readonly answers: PauseAnswers
  /** That of the run that was under way when the request came. */
  readonly completion?: Completion
}

/** A session that was looked at. */
interface Place {
  readonly info: SessionInfo
  readonly record: RecordWriter
  /** When the request came. */
  readonly at: number
  readonly key?: MessageKey | undefined
}

type Received = Pick<Place, 'at' | 'key'>

type Paused = StoredSession & { readonly state: AgentState }
