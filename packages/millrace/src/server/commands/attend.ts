import { isMillraceError } from '../../errors/index.ts'
import type { Command, CommandChange, SessionInfo } from '../../stores/port/index.ts'
import { startIdleTimer } from '../../streams/index.ts'
import { mapStoreErrors } from '../map-store-errors.ts'
import { isLeftToOthers } from '../recovery/recovery.ts'
import { findSession, headOf } from '../sessions/load-session.ts'
import { isElsewhere, type RunServices } from '../runs/run-services.ts'
import { answer } from './answer.ts'
import { giveRequest } from './produce.ts'
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
export interface Attended<One extends RunCommand = RunCommand> {
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

/** The handlers of a command: `give` during a run, `carryOut` without one. */
interface Handling<One extends RunCommand = RunCommand> {
  readonly give: (attended: Attended<One>, run: Run) => Promise<Outcome>
  readonly carryOut: (attended: Attended<One>) => Promise<Outcome>
}

const handlings: {
  readonly [Type in RunCommand['type']]: Handling<Extract<RunCommand, { readonly type: Type }>>
} = {
  // A stop of a run that has ended since is done.
  stop: {
    give: async ({ key, stored, command: { agent } }, run) => {
      if (stored.run !== run.number) return 'done'
      if (run.inbox.has(key)) return undefined
      run.inbox.add(key, stored)
      // A resumed run may not have reached the agent yet.
      run.offer({ type: 'stop', agent, isKept: run.isContinued })
      if (agent === undefined) await mapStoreErrors(run.keepStop())
      return undefined
    },
    carryOut: async (attended) => {
      const { services, session, key, command, ended } = attended
      // A paused or ended run has stored the effects of the stops that it received.
      const isOver = ended?.has(key) === true || !(await isForLastRun(attended))
      if (!isOver) await stop(services, session, command.agent)
      return 'done'
    },
  },
  // An answer is void only once the end of its call is stored, so that a crash cannot make the call pending again.
  answer: {
    give: async (attended, run) => {
      const { services, key, stored, command } = attended
      if (run.inbox.has(key)) return undefined
      await run.begun
      if (stored.run !== run.number) return 'void'
      const { answers } = command
      const { verdict } = run.offer({ type: 'answer', answers, at: services.now() })
      if (verdict === 'taken') run.inbox.add(key, stored)
      // The agents of a run that was just resumed do not wait for anything yet.
      else attendSoon(attended)
      return undefined
    },
    carryOut: async (attended) => {
      if (!(await isForLastRun(attended))) return 'void'
      const { services, session, key, stored, command } = attended
      const { digest = '' } = stored
      await answer(services, session, command.answers, { key: { key, digest } })
      return 'done'
    },
  },
  rename: {
    give: async (attended, run) => {
      await mapStoreErrors(run.rename(attended.command.title, [toReceipt(attended, 'done')]))
      return undefined
    },
    carryOut: async (attended) => {
      const { services, session, command } = attended
      const found = await findSession(services.store, session)
      if (await isPending({ ...attended, known: found.info }))
        await renameIdle(services, found, command.title, [toReceipt(attended, 'done')])
      return undefined
    },
  },
  count: {
    give: async (attended, run) => {
      await mapStoreErrors(run.count(attended.command.bytes, [toReceipt(attended, 'done')]))
      return undefined
    },
    carryOut: async (attended) => {
      const { services, session, command } = attended
      const known = await mapStoreErrors(services.store.info(session))
      if (known !== undefined && (await isPending({ ...attended, known })))
        await countIdle(services, known, command.bytes, [toReceipt(attended, 'done')])
      return undefined
    },
  },
  // The server that passed the request on reads its outcome from the stored state.
  produce: {
    give: async ({ command: { request } }, run) => {
      await giveRequest(run, request)
      return 'done'
    },
    carryOut: async () => 'done',
  },
  prompt: { give: passPrompt, carryOut: beginPrompt },
  notice: { give: passNotice, carryOut: writeNotice },
  receipt: {
    give: async ({ command: { state } }) => state,
    carryOut: async ({ command: { state } }) => state,
  },
}

const SOON_MS = 200

/** Carries out the commands of a session again in a moment, once for all that need it. */
function attendSoon({ services, session }: Pick<Attended, 'services' | 'session'>): void {
  if (services.attendedSoon.has(session)) return
  services.attendedSoon.add(session)
  startIdleTimer(() => {
    services.attendedSoon.delete(session)
    if (!services.isClosing()) services.attend(session)
  }, SOON_MS)
}

/** Carries out pending commands in turn. Those that cannot be carried out now are found the next time. */
export async function attendLater(
  services: RunServices,
  inTurn: (session: string, task: () => Promise<void>) => Promise<void>,
  session: string,
  ended?: RunInbox,
): Promise<void> {
  try {
    await inTurn(session, () => attend(services, session, ended))
  } catch (error) {
    if (services.isClosing() || (isMillraceError(error) && isLeftToOthers(error))) return
    // Several servers tried to start the same prompt, and another one has opened the session since.
    if (isMillraceError(error) && error.code === 'lease_lost')
      setTimeout(() => services.attend(session, ended), AGAIN_MS)
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
async function attend(services: RunServices, session: string, ended?: RunInbox): Promise<void> {
  const { store, runs, left } = services
  const known = await mapStoreErrors(store.info(session))
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
    const attended = { services, session, known, key, stored, command, ended, isBehind }
    const outcome = await unlessRefused(() =>
      isFree ? handling.carryOut(attended) : handling.give(attended, run),
    )
    if (outcome === 'again') return services.attend(session, ended)
    isBehind ||= outcome === 'waits'
    if (outcome === undefined || outcome === 'waits') continue
    const state = typeof outcome === 'string' ? outcome : 'void'
    const receipt = toReceipt(attended, state)
    if (typeof outcome === 'string' || command.type !== 'prompt')
      await mapStoreErrors(store.settle(session, receipt, known.log))
    else await settleVoid({ ...attended, command }, outcome.reason, receipt)
  }
}

function toReceipt(
  { key, stored: { digest, command } }: Pick<Attended, 'key' | 'stored'>,
  state: 'done' | 'void',
): CommandChange {
  const answers = command.type === 'receipt' && command.keys ? { keys: command.keys } : {}
  const body = encodeReceipt({ state, ...(digest !== undefined && { digest }), ...answers })
  return { key, body, isPending: false }
}

/** Reads the pending commands in order of execution: prompts that wait for the end of a run come last. */
async function readPending({ store, deliveries }: RunServices, info: SessionInfo) {
  const { session, log } = info
  const pending = deliveries.takeAll(info, await mapStoreErrors(store.pending(session, log)))
  const decoded = pending.map((one: Command) => ({ key: one.key, stored: decodeCommand(one) }))
  return decoded.toSorted((a, b) => rankOf(a.stored.command) - rankOf(b.stored.command))
}

const ranks = { steer: 0, interrupt: 1, queue: 2 } as const

function rankOf(command: RunCommand): number {
  return command.type === 'prompt' ? ranks[command.whenBusy] : 0
}

/** Whether no other run has started since a command was stored. */
async function isForLastRun({ services, session, stored }: Attended): Promise<boolean> {
  const head = headOf(await mapStoreErrors(services.store.info(session)))
  return stored.run === head?.runs
}

async function unlessRefused(task: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await task()
  } catch (error) {
    // Another server was faster, or the store is unavailable: the command stays pending.
    if (!isRefusal(error)) throw error
    return { reason: error.message }
  }
}
