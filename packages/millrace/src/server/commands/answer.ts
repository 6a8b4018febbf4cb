import type {
  AgentCommand,
  GivenAnswer,
  Offer,
  PauseAnswers,
  Verdict,
} from '../../agent/port/index.ts'
import { badRequest, MillraceError } from '../../errors/index.ts'
import { isDecision, createEnvelopeWriter } from '../../events/index.ts'
import type { SessionInfo } from '../../stores/port/index.ts'
import { checkPosition } from '../requests/cursor.ts'
import { type Completion, completedAt } from '../reading/completion.ts'
import { launch } from '../runs/launch.ts'
import { appendIdle, openIdle } from './open-idle.ts'
import { findReceipt, hadNoEffect, type MessageKey, toReceipts } from './receipts.ts'
import { keepReceipt, wakeOwner } from './run-command.ts'
import { submitAnswers } from './submit-answers.ts'
import type { Run } from '../runs/run.ts'
import { readRunPart, withPlace } from '../runs/stored-run.ts'
import {
  isElsewhere,
  type LogRange,
  offerToPaused,
  type RunServices,
  withRunSlot,
} from '../runs/run-services.ts'
import { endOf, findLoaded, sessionMissing } from '../sessions/load-session.ts'
import { pendingIn, type RecordWriter } from '../sessions/record-writer.ts'
import type { StoredAnswer, StoredSession } from '../sessions/session-record.ts'

/** The key of a request, and the agents whose calls do not exist for its sender. */
export interface AnswerOptions {
  readonly key?: MessageKey | undefined
  readonly hides?: ((agent: string) => boolean) | undefined
}

/**
 * Takes answers to pending calls. The range covers the resumed run; while other calls are pending, only these answers; for repeated
 * answers, the frames that followed them. Requires the session's lock.
 */
export async function answer(
  services: RunServices,
  session: string,
  given: PauseAnswers,
  { key, hides }: AnswerOptions = {},
): Promise<LogRange> {
  checkHashes(services, given)
  const at = services.now()
  const { store } = services
  const info = key && (await store.info(session))
  const known = await findReceipt(store, info, key)
  if (known?.state === 'void')
    throw hadNoEffect(
      `The request ${JSON.stringify(key?.messageId ?? '')} had no effect: its call ended before the run got the answer, for example because the run was stopped. Read the result of the call in the stream.`,
    )
  const command = { type: 'answer', answers: withTime(given, at), at, hides } as const
  // The first answer to a call counts, so a repeated request needs no other receipt.
  return take(services, session, command, known?.state === 'done' ? undefined : key)
}

type AnswerCommand = Extract<AgentCommand, { readonly type: 'answer' }>

/** Takes answers with their time of receipt. */
async function take(
  services: RunServices,
  session: string,
  command: AnswerCommand,
  key: MessageKey | undefined,
): Promise<LogRange> {
  const { store, runs } = services
  const { answers, at } = command
  // Read before the store: a run that ends meanwhile must not look like one that never started.
  let run = runs.get(session)
  // Calls are announced a moment before their run is removed.
  if (run?.isEnding() === true) {
    await run.over
    run = undefined
  }
  const trial = run?.offer({ ...command, isTrial: true })
  if (trial?.verdict === 'conflict') throw refusal(trial)
  if (run !== undefined && trial?.verdict === 'taken')
    return offerStored(services, run, command, key)
  const found = await findLoaded(store, session)
  if (found?.loaded.writer.hasState() !== true) throw sessionMissing(session)
  const { info } = found
  const { stored: before, writer: record } = found.loaded
  const isElse = run === undefined && isElsewhere(info)
  const isIdle = run === undefined && !isElse
  const place = { info, record, before, key }
  // The server of an active run expires its requests; its verdict on these answers is reported below.
  if (isIdle && isOverdue(before, at)) {
    const expired = await offerToPaused(services, info, { type: 'expire', at })
    // Stored first: these calls do not run, with any outcome of the request.
    await settle(services, { ...place, key: undefined }, expired)
    return take(services, session, command, key)
  }
  const offer = await offerToPaused(services, info, command)
  if (isIdle && offer.verdict !== 'taken') await checkUnchanged(services, info)
  if (offer.verdict !== 'taken' && offer.verdict !== 'repeated') throw refusal(offer)
  if (!isIdle) {
    const completion = run ?? services.remote(info)
    if (offer.verdict === 'repeated') return repeat({ info, before, answers, completion })
    // A run of this server that does not know these calls yet has just been recovered; it writes its own record.
    const target = { session, log: info.log, run: before.runs }
    const submitted = await submitAnswers(services, target, answers)
    await keepReceipt(services, info, key, toOutcome(submitted))
    await wakeOwner(services, session)
    return { session, log: info.log, after: info.tail, completion }
  }
  return offer.verdict === 'taken' || offer.resumes
    ? settle(services, place, offer)
    : repeat({ info, before, answers })
}

/** Returns the verdict on answers without an effect. */
export async function judge(
  services: RunServices,
  session: string,
  answers: PauseAnswers,
): Promise<Verdict> {
  const info = await services.store.info(session)
  if (info === undefined) return { verdict: 'unknown' }
  return offerToPaused(services, info, { type: 'answer', answers, at: services.now() })
}

/** Returns the error of a command that an agent did not take. */
function refusal({ error }: Pick<Offer, 'error'>): MillraceError {
  return error ?? new MillraceError('not_found', 'No call waits for an answer.')
}

/** Checks for an approval request that has expired. [APR-4] */
function isOverdue(stored: StoredSession, at: number): boolean {
  return pendingIn(stored).approvals.some(({ request }) => at >= (request?.expiresAt ?? Infinity))
}

/** Throws `lease_lost` if a session has changed since it was read, because its state may be newer than its record. */
async function checkUnchanged({ store }: RunServices, known: SessionInfo): Promise<void> {
  const { session, epoch, tail, head } = known
  const now = await store.info(session)
  if (now?.epoch === epoch && now.tail === tail && now.head === head) return
  throw new MillraceError(
    'lease_lost',
    `Session ${session} changed during the request; repeat the request.`,
  )
}

/**
 * Stores answers and passes them to a run that waits for them. Stored first: another server may have stored other ones, which then count.
 */
async function offerStored(
  services: RunServices,
  run: Run,
  { answers, at }: AnswerCommand,
  key: MessageKey | undefined,
): Promise<LogRange> {
  const { session, log, number } = run
  const range = { session, log, after: run.lastWritten(), completion: run }
  const place = { session, log, run: number }
  const submitted = await submitAnswers(services, place, answers)
  for (const { name, stored, command } of submitted) {
    if (run.inbox.has(name)) continue
    const given = run.offer({ ...command, at })
    if (given.verdict === 'conflict') throw refusal(given)
    if (given.verdict === 'taken') run.inbox.add(name, stored)
    else services.carryOutPending(session)
  }
  await keepReceipt(services, run, key, toOutcome(submitted))
  return range
}

/** Returns the outcome of a request that has stored answers, which is theirs. */
function toOutcome(submitted: readonly { readonly name: string }[]) {
  return { state: 'done', keys: submitted.map(({ name }) => name) } as const
}

/** Rejects approvals without the hash of the shown arguments, if the server requires it. [APR-2] */
function checkHashes({ requireInputHash = false }: RunServices, { decisions = [] }: PauseAnswers) {
  const blind = decisions.find(
    ({ outcome, inputHash }) => outcome === 'approved' && inputHash === undefined,
  )
  if (!requireInputHash || blind === undefined) return
  throw badRequest(
    `The approval of call ${blind.toolUseId} lacks \`input_hash\`; send the hash of the arguments that were shown, as PROTOCOL.md describes [APR-1].`,
  )
}

/** Adds the time at which this server, or the one that passed it on, received a decision. */
function withTime({ results = [], decisions = [] }: PauseAnswers, at: number): PauseAnswers {
  return { results, decisions: decisions.map((decision) => ({ at, ...decision })) }
}

/** Stores the effect of an offer: the run continues, or stays paused. */
function settle(services: RunServices, place: Place, offer: Offer): Promise<LogRange> {
  if (!offer.resumes) return keep(services, place, offer)
  return withRunSlot(services, place.info.session, () => resume(services, place, offer))
}

/** Resumes a run whose calls all have answers, even if the process that took the last one has died. */
async function resume(
  services: RunServices,
  place: Place,
  { checkpoint }: Offer,
): Promise<LogRange> {
  const { info: known, record, key } = place
  const info = await openIdle(services, known.session, known)
  const before = { ...place.before, ...(checkpoint && { checkpoint }) }
  const answers = addAnswers(services, before, { firstId: info.tail + 1 })
  const updatedAt = services.now()
  const stored = { ...before, answers, updatedAt, status: 'running', stopReason: null } as const
  return launch(services, { info, stored, record, commands: toReceipts(key) })
}

/** Stores answers while other calls are pending, and reports to readers that these calls are answered. */
async function keep(
  services: RunServices,
  { info: known, record, before, key }: Place,
  { checkpoint, events = [] }: Offer,
): Promise<LogRange> {
  const { store, now, maxLineBytes: maxBytes } = services
  const info = await openIdle(services, known.session, known)
  const { session, log, tail } = info
  const writer = createEnvelopeWriter({ maxBytes })
  const texts: string[] = []
  let { lastDecision } = before
  for (const event of events) {
    texts.push(...writer.write(event))
    if (isDecision(event)) lastDecision = tail + texts.length
  }
  const lastId = tail + texts.length
  const offered = { ...before, ...(checkpoint && { checkpoint }) }
  const answers = addAnswers(services, offered, { firstId: tail + 1, lastId })
  const kept = { ...offered, answers, updatedAt: now(), recordedAt: lastId }
  const decided = { ...kept, ...(lastDecision !== undefined && { lastDecision }) }
  const { head, parts } = record.encode(decided, lastId)
  // The history shows the accepted results.
  const run = await readRunPart({ store, session }, before.runs)
  const shown = run && checkpoint ? [withPlace({ ...run, frame: lastId }, checkpoint.place())] : []
  const changes = { head, parts: [...parts, ...shown], commands: toReceipts(key) }
  await appendIdle(services, info, texts, changes)
  return { session, log, after: tail, completion: completedAt(lastId) }
}

/** Returns the answers of a session, with those that its agent has taken since. */
function addAnswers(
  { maxAnswers }: RunServices,
  stored: StoredSession,
  place: Pick<StoredAnswer, 'firstId' | 'lastId'>,
): readonly StoredAnswer[] {
  const { answers } = stored
  const known = new Set(answers.map(keyOf))
  const fresh = (pendingIn(stored).answered ?? []).filter((given) => !known.has(keyOf(given)))
  return [...answers, ...fresh.map((given) => ({ ...given, ...place }))].slice(-maxAnswers)
}

/** Returns the range of the first request with these results, however late it is repeated. */
function repeat({ info, before, answers, completion }: Repetition): LogRange {
  const { session, log, tail } = info
  const { results = [], decisions = [] } = answers
  const sent = new Set([
    ...results.map(({ toolUseId: callId }) => keyOf({ toolUseId: callId, kind: 'result' })),
    ...decisions.map(({ toolUseId: callId }) => keyOf({ toolUseId: callId, kind: 'decision' })),
  ])
  const latest = before.answers.findLast((given) => sent.has(keyOf(given)))
  if (latest === undefined) return { session, log, after: tail, completion: completedAt(tail) }
  const after = latest.firstId - 1
  checkPosition(after, info)
  const end = (latest.lastId === undefined && completion) || completedAt(latest.lastId ?? tail)
  return { session, log, after, ...endOf({ info, head: before }), completion: end }
}

function keyOf({ toolUseId: callId, kind }: GivenAnswer): string {
  return `${kind} ${callId}`
}

interface Repetition {
  readonly info: SessionInfo
  readonly before: StoredSession
  readonly answers: PauseAnswers
  /** The completion of the run that was active when the request arrived. */
  readonly completion?: Completion
}

/** A session as it was read. */
interface Place {
  readonly info: SessionInfo
  readonly record: RecordWriter
  readonly before: StoredSession
  readonly key: MessageKey | undefined
}
