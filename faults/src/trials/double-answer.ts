import { post } from '../mill/ask.ts'
import { compareWithLog } from '../mill/compare-with-log.ts'
import type { SeenFrame } from '../mill/follow-session.ts'
import type { Mill } from '../mill/open-mill.ts'
import { readAnswer } from '../mill/read-answer.ts'
import { readLogs } from '../mill/read-logs.ts'
import { withStand } from '../mill/with-stand.ts'
import { onEachPlace, type StorePlace } from '../stores.ts'
import type { Finding, Trial, TrialOptions } from '../trial.ts'

const AT_ONCE = 100
const ROUNDS = 1_000
const SHORT_ROUNDS = 14
/** The question, and the text after the answer. */
const MODEL_REQUESTS = 2

/** One question, and the responses to its answers. */
interface Round {
  readonly session: string
  readonly call: string
  readonly asked: readonly SeenFrame[]
  /** The number of different streams: one without a fault. */
  readonly streams: readonly (readonly SeenFrame[])[]
  /** Requests without a complete stream as response. */
  readonly refused: readonly string[]
}

/** The same tool result is posted many times at once. */
export const doubleAnswer: Trial = {
  name: 'double-answer',
  summary: 'the same tool result posted 100 times at once',
  run: (options) => onEachPlace(options, (place) => answerDoubly(place, options)),
}

function answerDoubly(
  { store, servers, where }: StorePlace,
  { isShort, signal, onProgress }: TrialOptions,
): Promise<Finding> {
  const total = isShort ? SHORT_ROUNDS : ROUNDS
  return withStand({ store }, async ({ startMill, address, model }) => {
    const mills = await Promise.all(Array.from({ length: servers }, startMill))
    const rounds: Round[] = []
    while (rounds.length < total) {
      signal.throwIfAborted()
      rounds.push(await playRound(mills))
      onProgress(rounds.length, total, `rounds on ${where}`)
    }
    for (const mill of mills) await mill.kill()
    const logs = await readLogs(
      address,
      rounds.map(({ session }) => session),
    )
    const faults = rounds.flatMap((round) => findFaults(round, logs.get(round.session) ?? []))
    const requests = model.requests()
    if (requests !== total * MODEL_REQUESTS) faults.push(`${requests} requests to the model`)
    return {
      what: `one tool result posted ${AT_ONCE} times at once, ${total} rounds`,
      where,
      figures: [
        `${countResults(logs)} results for ${total * AT_ONCE} posts`,
        `${countStreams(rounds)} streams`,
        `${requests - total} answers of the model`,
        `${countRefused(rounds)} posts without a whole stream`,
        `${countTakeOvers(mills)} take-overs`,
      ].join(', '),
      bound: `${total} of each, 0 without`,
      faults,
    }
  })
}

async function playRound(mills: readonly Mill[]): Promise<Round> {
  const session = crypto.randomUUID()
  const millAt = (index: number): Mill => {
    const mill = mills[index % mills.length]
    if (mill === undefined) throw new Error('There is no server.')
    return mill
  }
  const asking = { agent_uuid: session, user_prompt: 'ask' }
  const asked = await readAnswer(await post(millAt(0), '/agent/run?compact=0', asking))
  const call = messagesOf(asked).find(({ type }) => type === 'tool_call')?.id ?? ''
  const results = [{ tool_use_id: call, content: 'rye' }]
  const answers = await Promise.allSettled(
    Array.from({ length: AT_ONCE }, async (_, index) => {
      const body = { agent_uuid: session, tool_results: results }
      return readAnswer(await post(millAt(index), '/agent/tool_results?compact=0', body))
    }),
  )
  const streams = new Map<string, readonly SeenFrame[]>()
  const refused: string[] = []
  for (const answer of answers) {
    if (answer.status === 'rejected') refused.push(String(answer.reason))
    else streams.set(JSON.stringify(answer.value), answer.value)
  }
  return { session, call, asked, streams: [...streams.values()], refused }
}

function findFaults(round: Round, log: readonly string[]): string[] {
  const { call, asked, streams, refused } = round
  const faults = [...refused]
  const results = resultsIn(log).filter(({ id }) => id === call).length
  if (results !== 1) faults.push(`${results} results of one call are in the log`)
  if (streams.length !== 1) faults.push(`${streams.length} streams that differ`)
  for (const stream of streams) {
    const { gaps, doubles, changed } = compareWithLog([...asked, ...stream], log)
    if (gaps + doubles + changed > 0) faults.push('a stream is not the rest of the log')
  }
  return faults
}

interface Message {
  readonly type: string
  readonly id?: string
  readonly final: boolean
}

function messagesOf(frames: readonly SeenFrame[]): Message[] {
  return frames.map(({ data }) => JSON.parse(data) as Message)
}

function resultsIn(log: readonly string[]): Message[] {
  const messages = log.map((line) => JSON.parse(line) as Message)
  return messages.filter(({ type, final }) => type === 'tool_result' && final)
}

function countResults(logs: ReadonlyMap<string, readonly string[]>): number {
  return [...logs.values()].reduce((sum, log) => sum + resultsIn(log).length, 0)
}

function countRefused(rounds: readonly Round[]): number {
  return rounds.reduce((sum, { refused }) => sum + refused.length, 0)
}

/** Runs that one server has recovered in place of another. */
function countTakeOvers(mills: readonly Mill[]): number {
  const logged = mills.flatMap((mill) => mill.logged)
  return logged.filter(({ event }) => event === 'run_recovered').length
}

function countStreams(rounds: readonly Round[]): number {
  return rounds.reduce((sum, { streams }) => sum + streams.length, 0)
}
