import { findViolations } from '../mill/find-violations.ts'
import { GOOD, VOID } from './family-script.ts'
import { judgeShown, type Mistake } from './judge-shown.ts'
import type { ClientReading, PlayedRun } from './play-run.ts'
import { toLoggedAgents } from './logged-agents.ts'
import type { SeedClient } from './seed-readers.ts'
import { type ShownRun, toShownRun } from './shown-run.ts'

/** The reference: a run without faults. */
export interface Undisturbed {
  /** Its content in each client. */
  readonly shown: ReadonlyMap<SeedClient, ShownRun>
  /** The length of the stream of each client. */
  readonly lengths: ReadonlyMap<SeedClient, number>
}

/** Extracts the reference from a run without faults. */
export function toUndisturbed({ readings, session }: PlayedRun): Undisturbed {
  const shown = new Map<SeedClient, ShownRun>()
  const lengths = new Map<SeedClient, number>()
  for (const { client, manner, body } of readings.filter((one) => one.manner.name === 'live')) {
    shown.set(client, toShownRun(client.read(body), session))
    lengths.set(client, Buffer.byteLength(body))
    if (shown.get(client)?.some(({ said }) => said.length === 0) !== false)
      throw new Error(`A run without faults shows nothing of an agent (${manner.name}).`)
  }
  return { shown, lengths }
}

/** Finds defects in the frames of the clients of a run. */
export function judgeRun(played: PlayedRun, undisturbed: Undisturbed): readonly Mistake[] {
  const { readings, record } = played
  const answer = answerIn(record)
  const ofReadings = readings.flatMap((reading) =>
    judgeReading(reading, played, undisturbed, answer),
  )
  return [...ofReadings, ...judgeRecord(record)]
}

function judgeReading(
  { client, manner, body, cuts }: ClientReading,
  { session, plannedFaults }: PlayedRun,
  { shown }: Undisturbed,
  answer: string | undefined,
): readonly Mistake[] {
  const page = client.read(body)
  const mistakes = judgeShown({
    page,
    body,
    session,
    wanted: shown.get(client) ?? [],
    retried: new Set(plannedFaults.map(({ role }) => role)),
    mayShowVoid: manner.maySeeVoid,
    mayCloseVoid: client.hasPlainIds && cuts > 0,
  })
  const last = toShownRun(page, session)[0]?.said.at(-1)
  const ofAnswer: readonly Mistake[] =
    last?.content === answer
      ? []
      : [{ kind: 'incomplete', text: `${JSON.stringify(last)} and not the answer` }]
  return [...mistakes, ...ofAnswer].map(({ kind, text }) => ({
    kind,
    text: `${client.name}, ${manner.name}: ${text}`,
  }))
}

interface RecordedRuns {
  readonly conversations: readonly {
    readonly final_response: string | null
    readonly stop_reason: string
  }[]
}

function answerIn(record: string): string | undefined {
  const { conversations } = JSON.parse(record) as RecordedRuns
  return conversations[0]?.final_response ?? undefined
}

/** The server's record has the answer without void content. */
function* judgeRecord(record: string): Generator<Mistake> {
  const { conversations } = JSON.parse(record) as RecordedRuns
  const reasons = conversations.map((one) => one.stop_reason)
  if (reasons.join() !== 'end_turn')
    yield { kind: 'incomplete', text: `recorded with ${reasons.join()}` }
  if (!answerIn(record)?.includes(GOOD))
    yield { kind: 'incomplete', text: 'the record has no answer' }
  if (record.includes(VOID)) yield { kind: 'void', text: 'the record has void content' }
}

/** Finds violated rules in the log, and agents that were changed by the retry of another one. */
export function judgeLog(
  { session, plannedFaults }: Pick<PlayedRun, 'session' | 'plannedFaults'>,
  log: readonly string[],
  undisturbed: readonly string[],
): readonly Mistake[] {
  const broken = findViolations(log).map((text) => ({ kind: 'incomplete', text }) as const)
  const agents = toLoggedAgents(log, session)
  const changed = undisturbed.flatMap((wanted, role): readonly Mistake[] => {
    const isRetried = plannedFaults.some((plannedFault) => plannedFault.role === role)
    if (isRetried || agents[role] === wanted) return []
    return [
      { kind: 'others', text: `agent ${role} has changed: ${difference(agents[role], wanted)}` },
    ]
  })
  return [...broken, ...changed]
}

function difference(text = '', wanted = ''): string {
  const lines = wanted.split('\n')
  const index = text.split('\n').findIndex((line, place) => line !== lines[place])
  return `${text.split('\n')[index] ?? 'nothing'} in place of ${lines[index] ?? 'nothing'}`
}
