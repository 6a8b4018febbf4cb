import type { PauseAnswers } from '../../agent/index.ts'
import { isMillraceError } from '../../errors/index.ts'
import type { Command } from '../../store/index.ts'
import { sleep } from '../../streams/index.ts'
import { fromStore } from '../from-store.ts'
import { headOf } from '../load-session.ts'
import { isElsewhere, type RunContext } from '../run-context.ts'
import { answer, awaitsAnswers, takesAnswers } from './answer.ts'
import { decodeCommand, type RunCommand } from './run-command.ts'
import type { RunInbox } from './run-inbox.ts'
import type { Run } from '../run.ts'
import { stop } from './stop.ts'

/** Carries out pending commands in turn; those that cannot be carried out now are found again by the next look. */
export async function attendLater(
  context: RunContext,
  inTurn: (session: string, act: () => Promise<void>) => Promise<void>,
  session: string,
  ended?: RunInbox,
): Promise<void> {
  try {
    await inTurn(session, () => attend(context, session, ended))
  } catch (error) {
    if (!context.isClosing()) context.onError(error, { session })
  }
}

/**
 * Carries out the pending commands of a session that this server runs, or that nobody runs, in their order. A run is given each of
 * them once; it stays pending until its effect is stored, so that another server carries it out if this one dies. `ended` has what a
 * run was given that is over now. Needs the session's lock.
 */
async function attend(context: RunContext, session: string, ended?: RunInbox): Promise<void> {
  const { store, runs } = context
  const info = await fromStore(store.info(session))
  if (info === undefined || info.pending === 0) return
  if (!runs.has(session) && isElsewhere(info)) return
  for (const command of await fromStore(store.pending(session, info.log))) {
    // A command before this one may have begun a run.
    const run = runs.get(session)
    if (run?.isEnding() === true) await run.over
    const outcome = await (run === undefined || run.isEnding()
      ? carryOut(context, session, command, ended)
      : give(context, run, command))
    if (outcome !== undefined)
      await fromStore(store.settle(session, { key: command.key, body: outcome }, info.log))
  }
}

/** Gives a command to a run under way, once; undefined while it has no effect yet. */
async function give(
  context: RunContext,
  run: Run,
  stored: Command,
): Promise<'done' | 'void' | undefined> {
  const { run: number, command } = decodeCommand(stored)
  if (number !== run.number) return 'void'
  if (run.inbox.has(stored.key)) return undefined
  if (command.type === 'answer') await untilAwaited(context, run, command.answers)
  run.inbox.add(stored.key, command)
  if (command.type === 'steer') {
    return run.control.steer(command.prompt, command.agent) ? undefined : 'void'
  }
  return unlessRefused(async () => {
    if (command.type === 'stop') await stop(context, run.session, command.agent)
    else takesAnswers(run, command.answers)
    return undefined
  })
}

/** The agents of a run that is only just carried on do not wait for anything yet. */
const MAX_LOOKS = 20
const LOOK_MS = 50

/** Waits a moment for a run to wait for answers, if it does not. */
async function untilAwaited(context: RunContext, run: Run, answers: PauseAnswers): Promise<void> {
  const isAwaited = (): boolean => {
    try {
      return awaitsAnswers(run, answers)
    } catch {
      // It has other answers, and says so when it is given these.
      return true
    }
  }
  for (let looks = 0; looks < MAX_LOOKS && !isAwaited() && !run.isEnding(); looks++)
    await sleep(LOOK_MS, context.closed)
}

/** Carries out a command to a session in which nothing runs; what has come too late has no effect. */
async function carryOut(
  context: RunContext,
  session: string,
  stored: Command,
  ended: RunInbox | undefined,
): Promise<'done' | 'void'> {
  const { run, command } = decodeCommand(stored)
  const head = headOf(await fromStore(context.store.info(session)))
  if (run !== head?.runs || command.type === 'steer') return 'void'
  // A run that has paused or ended has stored what it did with what it was given.
  if (ended?.has(stored.key) === true) return 'done'
  return unlessRefused(() => perform(context, session, command))
}

async function perform(
  context: RunContext,
  session: string,
  command: Exclude<RunCommand, { readonly type: 'steer' }>,
): Promise<'done'> {
  if (command.type === 'stop') await stop(context, session, command.agent)
  else await answer(context, session, command.answers)
  return 'done'
}

/** A call that has its answer by now, or is gone, is no fault of anybody's. */
const refusals: ReadonlySet<string> = new Set([
  'not_found',
  'conflict',
  'bad_request',
  'unsupported',
])

async function unlessRefused<Outcome>(act: () => Promise<Outcome>): Promise<Outcome | 'void'> {
  try {
    return await act()
  } catch (error) {
    // Another server was faster, or the store is away: the command stays pending.
    if (!isMillraceError(error) || !refusals.has(error.code)) throw error
    return 'void'
  }
}
