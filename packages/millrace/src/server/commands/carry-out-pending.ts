import { isMillraceError } from '../../errors/index.ts'
import type { Command, CommandChange, SessionInfo } from '../../stores/port/index.ts'
import { startIdleTimer } from '../../streams/index.ts'
import { isLeftToOthers } from '../recovery/recovery.ts'
import { findSession, headOf } from '../sessions/load-session.ts'
import { isElsewhere, type RunServices } from '../runs/run-services.ts'
import { answer } from './answer.ts'
import { passRequest } from './produce.ts'
import {
  beginPrompt,
  isPending,
  passPrompt,
  passNotice,
  writeNotice,
  settleVoid,
} from './queued-prompt.ts'
import { encodeReceipt } from './receipts.ts'
import { decodeCommand, isRefusal, type RunCommand, type StoredCommand } from './run-command.ts'
import type { RunInbox } from '../runs/run-inbox.ts'
import type { Run } from '../runs/run.ts'
import { isNewer } from '../sessions/session-record.ts'
import { renameIdle } from './rename.ts'
import { stop } from './stop.ts'
import { countIdle } from './upload.ts'

/** A pending command and its context. */
export interface PendingCommand<One extends RunCommand = RunCommand> {
  readonly services: RunServices
  readonly session: string
  /** The session as read before its pending commands. */
  readonly known: SessionInfo
  readonly key: string
  readonly stored: StoredCommand
  readonly command: One
  /** The commands that a run received which is over now. */
  readonly ended: RunInbox | undefined
  /** Whether an earlier prompt waits, which this one must not overtake. */
  readonly isBehind: boolean
}

/**
 * The outcome of a command that is settled now. Undefined: it stays pending, or is settled with its effect. `again`: other commands have
 * arrived, so the pending ones must be read again. `waits`: a prompt that later ones must not overtake.
 */
export type Outcome = 'done' | 'void' | { readonly reason: string } | 'again' | 'waits' | undefined

/** The handlers of a command: `pass` during a run, `carryOut` without one. */
interface Handling<One extends RunCommand = RunCommand> {
  readonly pass: (pending: PendingCommand<One>, run: Run) => Promise<Outcome>
  readonly carryOut: (pending: PendingCommand<One>) => Promise<Outcome>
}

const handlings: {
  readonly [Type in RunCommand['type']]: Handling<Extract<RunCommand, { readonly type: Type }>>
} = {
  // A stop of a run that has ended since is done.
  stop: {
    pass: async ({ key, stored, command: { agent } }, run) => {
      if (stored.run !== run.number) return 'done'
      if (run.inbox.has(key)) return undefined
      run.inbox.add(key, stored)
      // A resumed run may not have reached the agent yet.
      run.offer({ type: 'stop', agent, isKept: run.isContinued })
      if (agent === undefined) await run.keepStop()
      return undefined
    },
    carryOut: async (pending) => {
      const { services, session, key, command, ended } = pending
      // A paused or ended run has stored the effects of the stops that it received.
      const isOver = ended?.has(key) === true || !(await isForLastRun(pending))
      if (!isOver) await stop(services, session, command.agent)
      return 'done'
    },
  },
  // An answer is void only once the end of its call is stored, so that a crash cannot make the call pending again.
  answer: {
    pass: async (pending, run) => {
      const { services, key, stored, command } = pending
      if (run.inbox.has(key)) return undefined
      await run.begun
      if (stored.run !== run.number) return 'void'
      const { answers } = command
      const { verdict } = run.offer({ type: 'answer', answers, at: services.now() })
      if (verdict === 'taken') run.inbox.add(key, stored)
      // The agents of a run that was just resumed do not wait for anything yet.
      else carryOutPendingSoon(pending)
      return undefined
    },
    carryOut: async (pending) => {
      if (!(await isForLastRun(pending))) return 'void'
      const { services, session, key, stored, command } = pending
      const { digest = '' } = stored
      await answer(services, session, command.answers, { key: { key, digest } })
      return 'done'
    },
  },
  rename: {
    pass: async (pending, run) => {
      await run.rename(pending.command.title, [toReceipt(pending, 'done')])
      return undefined
    },
    carryOut: async (pending) => {
      const { services, session, command } = pending
      const found = await findSession(services.store, session)
      if (await isPending({ ...pending, known: found.info }))
        await renameIdle(services, found, command.title, [toReceipt(pending, 'done')])
      return undefined
    },
  },
  count: {
    pass: async (pending, run) => {
      await run.count(pending.command.bytes, [toReceipt(pending, 'done')])
      return undefined
    },
    carryOut: async (pending) => {
      const { services, session, command } = pending
      const known = await services.store.info(session)
      if (known !== undefined && (await isPending({ ...pending, known })))
        await countIdle(services, known, command.bytes, [toReceipt(pending, 'done')])
      return undefined
    },
  },
  // The server that passed the request on reads its outcome from the stored state.
  produce: {
    pass: async ({ command: { request } }, run) => {
      await passRequest(run, request)
      return 'done'
    },
    carryOut: async () => 'done',
  },
  prompt: { pass: passPrompt, carryOut: beginPrompt },
  notice: { pass: passNotice, carryOut: writeNotice },
  receipt: {
    pass: async ({ command: { state } }) => state,
    carryOut: async ({ command: { state } }) => state,
  },
}

const SOON_MS = 200

/** Carries out the commands of a session again in a moment, once for all that need it. */
function carryOutPendingSoon({
  services,
  session,
}: Pick<PendingCommand, 'services' | 'session'>): void {
  if (services.carriedOutSoon.has(session)) return
  services.carriedOutSoon.add(session)
  startIdleTimer(() => {
    services.carriedOutSoon.delete(session)
    if (!services.isClosing()) services.carryOutPending(session)
  }, SOON_MS)
}

/** Carries out pending commands in turn. Those that cannot be carried out now are found the next time. */
export async function carryOutPendingInTurn(
  services: RunServices,
  inTurn: (session: string, task: () => Promise<void>) => Promise<void>,
  session: string,
  ended?: RunInbox,
): Promise<void> {
  try {
    await inTurn(session, () => carryOutPending(services, session, ended))
  } catch (error) {
    if (services.isClosing() || (isMillraceError(error) && isLeftToOthers(error))) return
    // Several servers tried to start the same prompt, and another one has opened the session since.
    if (isMillraceError(error) && error.code === 'lease_lost')
      setTimeout(() => services.carryOutPending(session, ended), AGAIN_MS)
    else services.onError(error, { session })
  }
}

/** Delay before a server looks again at a session that other servers keep changing. */
const AGAIN_MS = 100

/**
 * Carries out the pending commands of a session in order, if its run is here or nowhere. A run gets each of them once.
 * A command stays pending until its effect is stored, so that another server carries it out if this one dies. `ended`
 * has the commands of a run that is over now. Requires the session's lock.
 */
async function carryOutPending(
  services: RunServices,
  session: string,
  ended?: RunInbox,
): Promise<void> {
  const { store, runs, left } = services
  const known = await store.info(session)
  if (known === undefined || known.pending === 0 || isNewer(known.head ?? '')) return
  if (!runs.has(session) && (isElsewhere(known) || left.isLeft(known))) return
  let isBehind = false
  for (const { key, stored } of await readPending(services, known)) {
    // An earlier command may have started a run.
    const run = runs.get(session)
    if (run?.isEnding() === true) await run.over
    const { command } = stored
    const isFree = run === undefined || run.isEnding()
    const handling = handlings[command.type] as unknown as Handling
    const pending = { services, session, known, key, stored, command, ended, isBehind }
    const outcome = await catchRefusal(() =>
      isFree ? handling.carryOut(pending) : handling.pass(pending, run),
    )
    if (outcome === 'again') return services.carryOutPending(session, ended)
    isBehind ||= outcome === 'waits'
    if (outcome === undefined || outcome === 'waits') continue
    const state = typeof outcome === 'string' ? outcome : 'void'
    const receipt = toReceipt(pending, state)
    if (typeof outcome === 'string' || command.type !== 'prompt')
      await store.settle(session, receipt, known.log)
    else await settleVoid({ ...pending, command }, outcome.reason, receipt)
  }
}

function toReceipt(
  { key, stored: { digest, command } }: Pick<PendingCommand, 'key' | 'stored'>,
  state: 'done' | 'void',
): CommandChange {
  const answers = command.type === 'receipt' && command.keys ? { keys: command.keys } : {}
  const body = encodeReceipt({ state, ...(digest !== undefined && { digest }), ...answers })
  return { key, body, isPending: false }
}

/** Reads the pending commands in order of execution: prompts that wait for the end of a run come last. */
async function readPending({ store, deliveries }: RunServices, info: SessionInfo) {
  const { session, log } = info
  const pending = deliveries.takeAll(info, await store.pending(session, log))
  const decoded = pending.map((one: Command) => ({ key: one.key, stored: decodeCommand(one) }))
  return decoded.toSorted((a, b) => rankOf(a.stored.command) - rankOf(b.stored.command))
}

const ranks = { steer: 0, interrupt: 1, queue: 2 } as const

function rankOf(command: RunCommand): number {
  return command.type === 'prompt' ? ranks[command.whenBusy] : 0
}

/** Whether no other run has started since a command was stored. */
async function isForLastRun({ services, session, stored }: PendingCommand): Promise<boolean> {
  const head = headOf(await services.store.info(session))
  return stored.run === head?.runs
}

/** Returns the refusal of a command as its outcome. */
async function catchRefusal(task: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await task()
  } catch (error) {
    // Another server was faster, or the store is unavailable: the command stays pending.
    if (!isRefusal(error)) throw error
    return { reason: error.message }
  }
}
