import { AGAIN, CHILDREN, HOLD, STEER } from './commands-model.ts'
import { CommandSession, type CommandStage, isAcknowledged, type Sent } from './command-session.ts'

/** The commands of one round, by kind, with all attempts. */
export interface PlayedRound {
  readonly kind: RoundKind
  readonly session: string
  readonly steers: readonly (readonly Sent[])[]
  readonly stops: readonly Sent[]
  /** By call. */
  readonly answers: ReadonlyMap<string, readonly Sent[]>
  readonly decisions: ReadonlyMap<string, readonly Sent[]>
  /** The answers and decisions with keys, by call, sent once more after the run. */
  readonly late: ReadonlyMap<string, readonly Sent[]>
  /** Prompts and messages that were sent again with their keys. Each key is also the mark in the text. */
  readonly repeated: readonly Sent[]
  /** Withdrawals of queued prompts, by their keys. */
  readonly withdrawals: ReadonlyMap<string, readonly Sent[]>
  /** Requests with other content under a used key. */
  readonly contradicting: readonly Sent[]
  /** The ends of the runs, without those caused by stops. */
  readonly ends?: readonly string[]
}

/** A kind of round. */
export type RoundKind = keyof typeof kinds

const STEERS = 4
const STOPS = 3
const WAITING = 4
const grains = ['rye', 'oats', 'rye', 'oats'] as const
const wishes = ['approve', 'refuse', 'approve', 'refuse'] as const

type Commands = Partial<Omit<PlayedRound, 'kind' | 'session'>>
type Play = (session: CommandSession) => Promise<Commands>

const nothing = {
  steers: [],
  stops: [],
  answers: new Map(),
  decisions: new Map(),
  late: new Map(),
  repeated: [],
  withdrawals: new Map(),
  contradicting: [],
}

/** A conflict is a response too: another answer came first. */
const isSettled = ({ status }: Sent): boolean => status === 200 || status === 409

const steer = (
  session: CommandSession,
  count: number,
  isFinal?: (sent: Sent) => boolean,
): Promise<readonly (readonly Sent[])[]> =>
  Promise.all(
    Array.from({ length: count }, (_, index) =>
      session.insist(
        `/agent/${session.id}/steer`,
        (mark) => ({ user_prompt: `${STEER} ${mark};`, message_id: mark }),
        String(index),
        isFinal,
      ),
    ),
  )

const stop = async (session: CommandSession, count: number): Promise<readonly Sent[]> => {
  const path = `/agent/${session.id}/stop`
  const sent = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      session.insist(path, () => ({}), String(index), isSettled),
    ),
  )
  return sent.flat()
}

/** Conflicting answers to a call; the second half of them has keys. */
interface Answers {
  readonly path: string
  readonly wanted: readonly string[]
  readonly toBody: (wish: string) => object
}

const toKeyed = (session: CommandSession, { toBody }: Answers, wish: string) => ({
  agent_uuid: session.id,
  ...toBody(wish),
  message_id: `${wish}.key`,
})

/** Sends the answers to a call at once until each is settled, and those with keys again. */
const settle = async (session: CommandSession, answers: Answers): Promise<readonly Sent[]> => {
  const { path, wanted, toBody } = answers
  const sent = await Promise.all(
    wanted.map((wish, index) => {
      const body = { agent_uuid: session.id, ...toBody(wish) }
      if (index < wanted.length / 2) return session.insist(path, () => body, wish, isSettled)
      return session.repeat(path, toKeyed(session, answers, wish), isSettled)
    }),
  )
  return sent.flat()
}

/** Sends each answer with a key until it has a response, and returns that. */
const sendAgain = (session: CommandSession, answers: Answers): Promise<readonly Sent[]> =>
  Promise.all(
    answers.wanted.slice(answers.wanted.length / 2).map(async (wish) => {
      const body = toKeyed(session, answers, wish)
      const attempts = await session.insist(answers.path, () => body, wish, isSettled)
      return attempts.at(-1) ?? { mark: wish, status: undefined, text: '' }
    }),
  )

const resultsOf = (call: string): Answers => ({
  path: '/agent/tool_results',
  wanted: grains,
  toBody: (content) => ({ tool_results: [{ tool_use_id: call, content }] }),
})

const decisionsOn = (call: string): Answers => ({
  path: '/agent/tool_approvals',
  wanted: wishes,
  toBody: (decision) => ({ approvals: [{ tool_use_id: call, decision }] }),
})

/** Sends a command with its key twice at once, each until it is acknowledged, and then once more. */
const repeat = async (
  session: CommandSession,
  path: string,
  body: { readonly message_id: string },
): Promise<readonly Sent[]> =>
  (await Promise.all([session.repeat(path, body), session.repeat(path, body)])).flat()

/** A message with a key, and a prompt of it for the queue. */
const received = (key: string) => ({ user_prompt: `${STEER} ${key};`, message_id: key })
const queued = (session: CommandSession, key: string) => ({
  ...received(key),
  agent_uuid: session.id,
  when_busy: 'queue',
})

const kinds = {
  /** Messages and queued prompts have keys: each takes effect once, however often it is sent. */
  keys: async (session) => {
    await session.start(HOLD)
    const to = `/agent/${session.id}/steer`
    const sent = await Promise.all([
      repeat(session, to, received('message-0')),
      repeat(session, to, received('message-1')),
      repeat(session, '/agent/run', queued(session, 'queued-0')),
      repeat(session, '/agent/run', queued(session, 'queued-1')),
    ])
    const known = sent.map((attempts) => attempts.some(isAcknowledged))
    const other = { user_prompt: 'something else' }
    const contradicting = await Promise.all([
      ...(known[0] === true
        ? [session.send(to, { ...received('message-0'), ...other }, 'message-0')]
        : []),
      ...(known[2] === true
        ? [session.send('/agent/run', { ...queued(session, 'queued-0'), ...other }, 'queued-0')]
        : []),
    ])
    await session.openGate()
    return { repeated: sent.flat(), contradicting }
  },

  /** A stop with a key stops one run, even if it is sent again during the next run. */
  'keyed stops': async (session) => {
    await session.start(HOLD)
    const stopping = { message_id: 'stop' }
    const path = `/agent/${session.id}/stop`
    await repeat(session, path, stopping)
    await session.ended(1)
    const next = { agent_uuid: session.id, user_prompt: `${AGAIN} next;`, message_id: 'next' }
    const repeated = await repeat(session, '/agent/run', next)
    await session.send(path, stopping, 'stop')
    await session.openGate()
    return { repeated, ends: ['aborted', 'end_turn'] }
  },

  /** Queued prompts are withdrawn while the run before them ends: each starts once, or never. */
  withdrawals: async (session) => {
    await session.start(HOLD)
    const keys = Array.from({ length: WAITING }, (_, index) => `waiting-${index}`)
    const toRun = (key: string) => repeat(session, '/agent/run', queued(session, key))
    const sent = await Promise.all(keys.map(toRun))
    await session.openGate()
    const withdrawals = new Map<string, readonly Sent[]>()
    // One after the other, the last first: some prompts start meanwhile.
    for (const key of keys.toReversed()) {
      const path = `/agent/${session.id}/queue/${key}`
      withdrawals.set(key, await session.insist(path, () => undefined, key, isSettled))
      // A prompt that was withdrawn stays so, also if it is sent again.
      sent.push(await toRun(key))
    }
    return { repeated: sent.flat(), withdrawals }
  },

  /** A prompt interrupts the run, also if it is sent again, and queued prompts start after it. */
  interrupts: async (session) => {
    await session.start(HOLD)
    const waiting = await repeat(session, '/agent/run', queued(session, 'queued-0'))
    const urgent = {
      ...queued(session, 'urgent'),
      user_prompt: `${AGAIN} urgent;`,
      when_busy: 'interrupt',
    }
    const interrupting = await repeat(session, '/agent/run', urgent)
    // A run that ends before it gets to know of the prompt is not stopped.
    await session.begun(2)
    await session.openGate()
    const ends = ['aborted', 'end_turn', 'end_turn']
    return { repeated: [...waiting, ...interrupting], ends }
  },

  steers: async (session) => {
    await session.start(HOLD)
    const steers = await steer(session, STEERS)
    await session.openGate()
    return { steers }
  },

  stops: async (session) => {
    await session.start(HOLD)
    const [steers, stops] = await Promise.all([steer(session, 1, isSettled), stop(session, STOPS)])
    return { steers, stops }
  },

  answers: async (session) => {
    await session.start('ask')
    const [[call = '']] = await session.waitFor(1, 0)
    return { answers: new Map([[call, await settle(session, resultsOf(call))]]) }
  },

  approvals: async (session) => {
    await session.start('order')
    const [, [call = '']] = await session.waitFor(0, 1)
    return { decisions: new Map([[call, await settle(session, decisionsOn(call))]]) }
  },

  /** Calls are answered during the run, through the inbox. */
  children: async (session) => {
    await session.start(CHILDREN)
    const [[asked = ''], [ordered = '']] = await session.waitFor(1, 1)
    const [answers, decisions] = await Promise.all([
      settle(session, resultsOf(asked)),
      settle(session, decisionsOn(ordered)),
    ])
    await session.openGate()
    return { answers: new Map([[asked, answers]]), decisions: new Map([[ordered, decisions]]) }
  },

  /** Answers go through the inbox of a run that is stopped at once: each takes effect once, or is void. */
  'stopped answers': async (session) => {
    await session.start(CHILDREN)
    const [[asked = ''], [ordered = '']] = await session.waitFor(1, 1)
    const [answers, decisions, stops] = await Promise.all([
      settle(session, resultsOf(asked)),
      settle(session, decisionsOn(ordered)),
      stop(session, 1),
    ])
    await session.finish()
    const late = new Map([
      [asked, await sendAgain(session, resultsOf(asked))],
      [ordered, await sendAgain(session, decisionsOn(ordered))],
    ])
    return {
      answers: new Map([[asked, answers]]),
      decisions: new Map([[ordered, decisions]]),
      stops,
      late,
    }
  },
} as const satisfies Readonly<Record<string, Play>>

/** The kinds of rounds, in rotation. */
export const roundKinds: readonly RoundKind[] = Object.keys(kinds) as RoundKind[]

/** Sends the commands of a round, and waits until its run is over. */
export async function playRound(stage: CommandStage, kind: RoundKind): Promise<PlayedRound> {
  const session = new CommandSession(stage)
  const play: Play = kinds[kind]
  try {
    const commands = await play(session)
    await session.finish()
    return { ...nothing, ...commands, kind, session: session.id }
  } catch (error) {
    stage.signal.throwIfAborted()
    throw new Error(`${kind}, ${session.id}`, { cause: error })
  }
}
