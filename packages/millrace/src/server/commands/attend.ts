import { isMillraceError } from '../../errors/index.ts'
import type { Command, SessionInfo } from '../../stores/port/index.ts'
import { startIdleTimer } from '../../streams/index.ts'
import { mapStoreErrors } from '../map-store-errors.ts'
import { headOf } from '../sessions/load-session.ts'
import { isElsewhere, type RunServices } from '../runs/run-services.ts'
import { answer } from './answer.ts'
import { beginPrompt, givePrompt, giveNotice, tellNotice, tellVoid } from './queued-prompt.ts'
import { encodeReceipt } from './receipts.ts'
import { decodeCommand, isRefusal, type RunCommand, type StoredCommand } from './run-command.ts'
import type { RunInbox } from '../runs/run-inbox.ts'
import type { Run } from '../runs/run.ts'
import { rename } from './rename.ts'
import { stop } from './stop.ts'
import { countBytes } from './upload.ts'

/** A pending command, and the place where it is carried out. */
export interface Attended<One extends RunCommand = RunCommand> {
  readonly services: RunServices
  readonly session: string
  /** The session as it was before its pending commands were read. */
  readonly known: SessionInfo
  readonly key: string
  readonly stored: StoredCommand
  readonly command: One
  /** The commands that a run was given that is over now. */
  readonly ended: RunInbox | undefined
  /** Whether a prompt before it waits, which it must not overtake. */
  readonly isBehind: boolean
}

/**
 * The outcome of a command that is settled now; undefined if it stays pending, or is settled with its effect; `again` if other
 * commands have come, so that the pending ones are to be read again; `waits` if it is a prompt that others must not overtake.
 */
export type Outcome = 'done' | 'void' | NoEffect | 'again' | 'waits' | undefined

/** The outcome of a command that cannot take effect any more, with the reason. */
export interface NoEffect {
  readonly reason: string
}

/** What is done with a command: while a run is under way, and while none is. */
export interface Handling<One extends RunCommand = RunCommand> {
  readonly give: (attended: Attended<One>, run: Run) => Promise<Outcome>
  readonly carryOut: (attended: Attended<One>) => Promise<Outcome>
}

/** What is done with each type of command. */
const handlings: {
  readonly [Type in RunCommand['type']]: Handling<Extract<RunCommand, { readonly type: Type }>>
} = {
  // A stop of a run that has ended since has nothing left to do.
  stop: {
    give: giveOnce('done', async ({ command: { agent } }, run) => {
      // A run that is carried on may not have come to the agent yet.
      run.offer({ type: 'stop', agent, isKept: run.isContinued })
      if (agent === undefined) await mapStoreErrors(run.keepStop())
      return undefined
    }),
    carryOut: carryOutOnce('done', ({ services, session, command: { agent } }) =>
      stop(services, session, agent),
    ),
  },
  answer: {
    give: async (attended, run) => {
      if (run.inbox.has(attended.key)) return undefined
      await run.begun
      if (attended.stored.run !== run.number || isAwaited(attended, run))
        return giveAnswer(attended, run)
      // The agents of a run that is only just carried on do not wait for anything yet.
      attendSoon(attended)
      return undefined
    },
    carryOut: carryOutOnce('void', ({ services, session, command: { answers } }) =>
      answer(services, session, answers),
    ),
  },
  rename: {
    give: async ({ command: { title } }, run) => {
      await mapStoreErrors(run.rename(title))
      return 'done'
    },
    carryOut: async ({ services, session, command: { title } }) => {
      await rename(services, session, title)
      return 'done'
    },
  },
  count: {
    give: async ({ command: { bytes } }, run) => {
      await mapStoreErrors(run.count(bytes))
      return 'done'
    },
    carryOut: async ({ services, session, command: { bytes } }) => {
      await countBytes(services, session, bytes)
      return 'done'
    },
  },
  prompt: { give: givePrompt, carryOut: beginPrompt },
  notice: { give: giveNotice, carryOut: tellNotice },
  receipt: {
    give: async ({ command: { state } }) => state,
    carryOut: async ({ command: { state } }) => state,
  },
}

const giveAnswer = giveOnce<AnswerCommand>('void', ({ services, command: { answers } }, run) => {
  const { error, verdict } = run.offer({ type: 'answer', answers, at: services.now() })
  if (verdict === 'conflict' && error !== undefined) throw error
  return undefined
})

/** Checks whether the run waits for an answer, or has another one and is about to refuse it. */
function isAwaited({ services, command: { answers } }: Attended<AnswerCommand>, run: Run): boolean {
  const trial = { type: 'answer', answers, at: services.now(), isTrial: true } as const
  return ['taken', 'conflict'].includes(run.offer(trial).verdict)
}

type AnswerCommand = Extract<RunCommand, { readonly type: 'answer' }>

const SOON_MS = 200

/** Looks at the commands of a session again in a moment, once however many of them need it. */
function attendSoon({ services, session }: Pick<Attended, 'services' | 'session'>): void {
  if (services.attendedSoon.has(session)) return
  services.attendedSoon.add(session)
  startIdleTimer(() => {
    services.attendedSoon.delete(session)
    if (!services.isClosing()) services.attend(session)
  }, SOON_MS)
}

/** Carries out pending commands in turn; those that cannot be carried out now are found again by the next look. */
export async function attendLater(
  services: RunServices,
  inTurn: (session: string, task: () => Promise<void>) => Promise<void>,
  session: string,
  ended?: RunInbox,
): Promise<void> {
  try {
    await inTurn(session, () => attend(services, session, ended))
  } catch (error) {
    if (services.isClosing()) return
    // Several servers tried to begin the same prompt, and another one has opened the session since.
    if (isMillraceError(error) && error.code === 'lease_lost')
      setTimeout(() => services.attend(session, ended), AGAIN_MS)
    else services.onError(error, { session })
  }
}

/** How long a server stays away from a session that others have changed again and again. */
const AGAIN_MS = 100

/**
 * Carries out the pending commands of a session that this server runs, or that nobody runs, in their order. A run is given each of
 * them once; it stays pending until its effect is stored, so that another server carries it out if this one dies. `ended` has what a
 * run was given that is over now. Needs the session's lock.
 */
async function attend(services: RunServices, session: string, ended?: RunInbox): Promise<void> {
  const { store, runs } = services
  const known = await mapStoreErrors(store.info(session))
  if (known === undefined || known.pending === 0) return
  if (!runs.has(session) && isElsewhere(known)) return
  let isBehind = false
  for (const { key, stored } of await readPending(services, known)) {
    // A command before this one may have begun a run.
    const run = runs.get(session)
    if (run?.isEnding() === true) await run.over
    const { command, digest } = stored
    const isFree = run === undefined || run.isEnding()
    const handling = handlings[command.type] as unknown as Handling
    const attended = { services, session, known, key, stored, command, ended, isBehind }
    const outcome = await unlessRefused(() =>
      isFree ? handling.carryOut(attended) : handling.give(attended, run),
    )
    if (outcome === 'again') return services.attend(session, ended)
    isBehind ||= outcome === 'waits'
    if (outcome === undefined || outcome === 'waits') continue
    const state = typeof outcome === 'string' ? outcome : 'void'
    const body = encodeReceipt({ state, ...(digest !== undefined && { digest }) })
    if (typeof outcome === 'string' || command.type !== 'prompt')
      await mapStoreErrors(store.settle(session, { key, body }, known.log))
    else await tellVoid({ ...attended, command }, outcome.reason, { key, body, isPending: false })
  }
}

/** Reads the pending commands in the order in which they are carried out: prompts that wait for the end of a run come last. */
async function readPending({ store, deliveries }: RunServices, info: SessionInfo) {
  const { session, log } = info
  const pending = deliveries.take(info, await mapStoreErrors(store.pending(session, log)))
  const decoded = pending.map((one: Command) => ({ key: one.key, stored: decodeCommand(one) }))
  return decoded.toSorted((a, b) => rankOf(a.stored.command) - rankOf(b.stored.command))
}

const ranks = { steer: 0, interrupt: 1, queue: 2 } as const

function rankOf(command: RunCommand): number {
  return command.type === 'prompt' ? ranks[command.whenBusy] : 0
}

/** Makes what gives a command to the run that it is meant for, once; `late` is the outcome if that run is over. */
function giveOnce<One extends RunCommand>(
  late: 'done' | 'void',
  give: (attended: Attended<One>, run: Run) => Promise<Outcome> | Outcome,
): Handling<One>['give'] {
  return async (attended, run) => {
    const { key, stored } = attended
    if (stored.run !== run.number) return late
    if (run.inbox.has(key)) return undefined
    run.inbox.add(key, stored)
    return give(attended, run)
  }
}

/** Makes what carries out a command to a run that has paused or ended; `late` is the outcome if another run has begun since. */
function carryOutOnce<One extends RunCommand>(
  late: 'done' | 'void',
  perform: (attended: Attended<One>) => Promise<unknown>,
): Handling<One>['carryOut'] {
  return async (attended) => {
    const { services, session, stored, key, ended } = attended
    const head = headOf(await mapStoreErrors(services.store.info(session)))
    if (stored.run !== head?.runs) return late
    // A run that has paused or ended has stored what it did with what it was given.
    if (ended?.has(key) !== true) await perform(attended)
    return 'done'
  }
}

async function unlessRefused(task: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await task()
  } catch (error) {
    // Another server was faster, or the store is away: the command stays pending.
    if (!isRefusal(error)) throw error
    return { reason: error.message }
  }
}
