import { readFile } from 'node:fs/promises'
import { decodeEnvelope } from 'millrace'
import { findViolations } from '../mill/find-violations.ts'
import { readLog } from '../mill/read-logs.ts'
import type { PlayedRound } from './command-rounds.ts'
import { type CommandStage, isAcknowledged, type Sent } from './command-session.ts'

/** Sums over many rounds. */
export interface CommandTally {
  rounds: number
  /** Commands that were acknowledged. */
  acknowledged: number
  /** Requests without a response, whose effect is unknown. */
  unanswered: number
  /** Commands that were refused because another came first, or without an effect to have. */
  refused: number
  lost: number
  duplicated: number
  /** Messages and answers that were acknowledged, and reported as void because the run was stopped. */
  void: number
  readonly faults: string[]
}

/** Creates an empty tally. */
export function createCommandTally(): CommandTally {
  const counts = { rounds: 0, acknowledged: 0, unanswered: 0, refused: 0 }
  return { ...counts, lost: 0, duplicated: 0, void: 0, faults: [] }
}

/** Adds a finished round to a tally. */
export async function judgeCommands(
  tally: CommandTally,
  stage: CommandStage,
  round: PlayedRound,
): Promise<void> {
  const log = await readLog(stage.store, round.session)
  const wrong = [
    ...findViolations(log),
    ...judgeEnd(round, log),
    ...judgeSteers(tally, round, log),
    ...judgeKeys(tally, round, log),
    ...judgeAnswers(tally, round, log),
    ...(await judgeDecisions(tally, stage, round, log)),
  ]
  const answered = [...callsOf(round), ...round.withdrawals.values()]
  const all = [...round.steers.flat(), ...round.stops, ...answered.flat(), ...round.repeated]
  tally.rounds++
  tally.acknowledged += all.filter(isAcknowledged).length
  tally.unanswered += all.filter(({ status }) => status === undefined).length
  tally.refused += all.filter((sent) => !isAcknowledged(sent) && sent.status !== undefined).length
  tally.faults.push(...wrong.map((what) => `${round.kind}, ${round.session}: ${what}`))
}

function callsOf({ answers, decisions }: PlayedRound): readonly (readonly Sent[])[] {
  return [...answers.values(), ...decisions.values()]
}

/** The joined frames of one type in a log. */
function messagesOf(log: readonly string[], type: string) {
  return log.map((line) => decodeEnvelope(line)).filter((message) => message.type === type)
}

/** A stopped run reports its stop once; any other ends normally. A message may have started another run. */
function judgeEnd(
  { stops, session, ends: wanted }: PlayedRound,
  log: readonly string[],
): readonly string[] {
  const isRoot = ({ agent }: { readonly agent: string }): boolean => agent === session
  const runs = messagesOf(log, 'meta_init').filter(isRoot).length
  const ends = messagesOf(log, 'meta_end')
    .filter(isRoot)
    .map(({ delta }) => (JSON.parse(delta) as { readonly stop_reason: string }).stop_reason)
  if (wanted !== undefined)
    return ends.join() === wanted.join()
      ? []
      : [`the runs ended with ${ends.join(', ')} instead of ${wanted.join(', ')}`]
  const expected = stops.length > 0 ? 'aborted' : 'end_turn'
  const last = ends.at(-1)
  const acknowledged = stops.filter(({ text }) => text.includes('"stopped":true'))
  const unanswered = stops.filter(({ status }) => status === undefined).length
  return [
    ...(last === expected ? [] : [`it ended with ${ends.join(', ')} instead of ${expected}`]),
    ...(ends.filter((end) => end === expected).length > runs
      ? [`${runs} runs ended more often: ${ends.join(', ')}`]
      : []),
    ...(stops.length > 0 && acknowledged.length + unanswered === 0 ? ['no stop was taken'] : []),
  ]
}

/** Each acknowledged message is in the log once, sent to a run or as its prompt; an unacknowledged one at most once. */
function judgeSteers(
  tally: CommandTally,
  { steers, stops }: PlayedRound,
  log: readonly string[],
): readonly string[] {
  const prompts = messagesOf(log, 'meta_init').map(({ delta }) => delta)
  const said = [...messagesOf(log, 'user_message').map(({ delta }) => delta), ...prompts]
  const voids = messagesOf(log, 'queued_prompt').filter(({ state }) => state === 'void')
  return steers.flat().flatMap((sent) => {
    const times = said.filter((text) => text.includes(`steer ${sent.mark};`)).length
    if (times > 1)
      return count(tally, 'duplicated', `message ${sent.mark} was emitted ${times} times`)
    if (times === 1 || !isAcknowledged(sent)) return []
    // The run was stopped, and the log contains that. [CMD-5]
    if (stops.length > 0 && voids.some(({ message_id: key }) => key === sent.mark)) {
      tally.void++
      return []
    }
    return count(tally, 'lost', `message ${sent.mark} was acknowledged and not delivered`)
  })
}

/**
 * Each acknowledged key is in the log once, for any number of requests; an unacknowledged one at
 * most once, and that of a withdrawn prompt never.
 */
function judgeKeys(
  tally: CommandTally,
  { repeated, withdrawals, contradicting }: PlayedRound,
  log: readonly string[],
): readonly string[] {
  const prompts = [...messagesOf(log, 'meta_init'), ...messagesOf(log, 'user_message')]
  const taken = contradicting.filter(isAcknowledged)
  const wrong = taken.map(({ mark }) => `the key ${mark} was taken with other content`)
  for (const key of new Set(repeated.map(({ mark }) => mark))) {
    const times = prompts.filter(({ delta }) => delta.includes(` ${key};`)).length
    const isWithdrawn = withdrawals.get(key)?.some(isAcknowledged) === true
    const isKnown = repeated.some((sent) => sent.mark === key && isAcknowledged(sent))
    if (times > 1) wrong.push(...count(tally, 'duplicated', `${key} took effect ${times} times`))
    if (times > 0 && isWithdrawn)
      wrong.push(...count(tally, 'lost', `${key} was withdrawn and took effect`))
    if (times === 0 && isKnown && !isWithdrawn)
      wrong.push(...count(tally, 'lost', `${key} was acknowledged and had no effect`))
  }
  return wrong
}

/** A call has one result: that of every client whose answer was accepted. If the run was stopped, it may be an error. */
function judgeAnswers(
  tally: CommandTally,
  { answers, stops, late }: PlayedRound,
  log: readonly string[],
): readonly string[] {
  return [...answers].flatMap(([call, sent]) => {
    const results = messagesOf(log, 'tool_result').filter(({ id, final }) => id === call && final)
    if (results.length > 1)
      return count(tally, 'duplicated', `${results.length} results of one call`)
    const [result] = results
    if (result === undefined) return count(tally, 'lost', 'a call was answered and has no result')
    const isVoid = stops.length > 0 && result['is_error'] === true
    const effect = isVoid ? undefined : result.delta
    return judgeEffect(tally, { effect, sent, late: late.get(call) ?? [] })
  })
}

/** The effect of the answers to a call; undefined if they are void. */
interface Effect {
  readonly effect: string | undefined
  readonly sent: readonly Sent[]
  readonly late: readonly Sent[]
}

/** Every accepted answer is the effect, or all are void; a late request with a key reports which. */
function judgeEffect(tally: CommandTally, { effect, sent, late }: Effect): readonly string[] {
  const isEffect = (one: Sent): boolean => effect?.includes(wishOf(one)) === true
  const accepted = sent.filter(isAcknowledged)
  const wrong: string[] = []
  if (effect === undefined) tally.void += accepted.length
  else {
    const others = accepted.filter((one) => !isEffect(one)).length
    if (others > 0)
      wrong.push(
        ...count(tally, 'lost', `${effect} counts, and ${others} others were acknowledged`),
      )
  }
  for (const one of late) {
    const wasAccepted = accepted.some(({ mark }) => mark === `${one.mark.split('.')[0]}.key`)
    const isVoid = one.status === 409 && one.text.includes('"reason":"void"')
    const isRight = isEffect(one) ? isAcknowledged(one) : one.status === 409
    if (!isRight || (wasAccepted && !isEffect(one) && !isVoid))
      wrong.push(
        `${effect ?? 'nothing'} counts, but ${one.mark} again is ${one.status} ${one.text}`,
      )
  }
  return wrong
}

/** The answer or the decision in a request. */
const wishOf = ({ mark }: Sent): string => mark.split('.')[0] ?? ''

const outcomes: Readonly<Record<string, string>> = { approved: 'approve', refused: 'refuse' }

/** A call has one decision: that of every client whose decision was accepted. It runs at most once, and only if it was approved. */
async function judgeDecisions(
  tally: CommandTally,
  { shippedPath }: CommandStage,
  { decisions, stops, late }: PlayedRound,
  log: readonly string[],
): Promise<readonly string[]> {
  const wrong: string[] = []
  for (const [call, sent] of decisions) {
    const shipped = await readFile(shippedPath, 'utf8').catch(() => '')
    const times = shipped.split('\n').filter((id) => id === call).length
    if (times > 1) wrong.push(...count(tally, 'duplicated', `a call has run ${times} times`))
    const decided = messagesOf(log, 'tool_status')
      .filter(({ id }) => id === call)
      .flatMap(({ stage }) => outcomes[String(stage)] ?? [])
    const [effect] = decided
    if (decided.length > 1)
      wrong.push(...count(tally, 'duplicated', `${decided.length} decisions on a call`))
    if (times > 0 && effect !== 'approve') wrong.push('a call that was not approved has run')
    if (effect === undefined && stops.length === 0)
      wrong.push(...count(tally, 'lost', 'a decided call has no decision in the log'))
    else wrong.push(...judgeEffect(tally, { effect, sent, late: late.get(call) ?? [] }))
  }
  return wrong
}

function count(tally: CommandTally, kind: 'lost' | 'duplicated', what: string): readonly string[] {
  tally[kind]++
  return [what]
}
