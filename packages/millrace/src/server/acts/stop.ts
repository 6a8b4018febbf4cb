import { waitingAgents } from '../../agent/index.ts'
import { MillraceError } from '../../errors/index.ts'
import { sleep } from '../../streams/index.ts'
import { fromStore } from '../from-store.ts'
import { launch } from '../launch.ts'
import { headOf, loadField, loadSession } from '../load-session.ts'
import { ageOf, currentMoment } from '../moment.ts'
import { openIdle } from './open-idle.ts'
import { passCommand } from './run-command.ts'
import type { Run } from '../run.ts'
import { closing, inPlace, isElsewhere, type RunContext, sessionMissing } from '../run-context.ts'

/** A stop that was passed to the server that carries on a run. That may be gone, so only what is stored counts. */
interface PassedStop {
  /** The number of the run that is to stop. */
  readonly run: number
}

/**
 * Stops the run of a session, or one agent of it. A run that has paused is closed: what waited is answered with what
 * happened; if only a sub-agent is stopped that waits in it, the rest goes on. That the whole run was stopped is stored
 * when this resolves with true, so that it holds if the server dies. Needs the session's lock.
 */
export async function stop(
  context: RunContext,
  session: string,
  agent: string | undefined,
  passed?: PassedStop,
): Promise<boolean | PassedStop> {
  const { store, runs, now } = context
  const whom = agent === session ? undefined : agent
  const run = runs.get(session)
  if (run !== undefined && !run.isEnding()) return stopHere(run, whom)
  await run?.over
  const known = await fromStore(store.info(session))
  const head = headOf(known)
  if (head === undefined) throw sessionMissing(session)
  if (passed !== undefined && head.runs !== passed.run) return true
  if (isElsewhere(known)) {
    if (whom === undefined && (await loadField(store, known, 'stop')) === true) return true
    const one = whom === undefined ? {} : { agent: whom }
    if (passed === undefined) await passCommand(context, known, { type: 'stop', ...one })
    return whom === undefined ? { run: head.runs } : true
  }
  if (passed !== undefined && head.status === 'ended') return head.stopReason === 'aborted'
  const loaded = head.status === 'paused' ? await loadSession(store, known) : undefined
  if (loaded?.stored.state === undefined) return false
  const { stored: before, writer: record } = loaded
  const { state } = loaded.stored
  if (whom !== undefined && !waitingAgents(state).includes(whom)) return false
  await inPlace(context, session, async () => {
    const info = await openIdle(context, session, known)
    const stopping: true | string = whom ?? true
    const running = { updatedAt: now(), status: 'running', stopReason: null } as const
    const stored = { ...before, ...running, stop: stopping }
    await launch(context, { info, stored, record, input: { state, stop: stopping } })
  })
  return true
}

async function stopHere({ control, keepStop }: Run, agent: string | undefined): Promise<boolean> {
  if (!control.stop(agent)) return false
  if (agent === undefined) await fromStore(keepStop())
  return true
}

/** A server that is gone loses its run after one lease; another may have to take it, and be asked. */
export const MAX_LEASES = 3
/** So often a run elsewhere is looked at again. */
export const RETRY_MS = 50

/** Asks the server that carries on a run until it has stored that it stops; one that is gone loses the run meanwhile. */
export async function untilStopped(
  context: RunContext,
  inTurn: <Result>(session: string, act: () => Promise<Result>) => Promise<Result>,
  session: string,
  agent?: string,
): Promise<boolean> {
  const { leaseMs, closed } = context
  const since = currentMoment()
  const stopOnce = (passed?: PassedStop) =>
    inTurn(session, () => stop(context, session, agent, passed))
  let stopped = await stopOnce()
  while (typeof stopped !== 'boolean') {
    if (ageOf(since) > MAX_LEASES * leaseMs) throw notStopped(session)
    await sleep(RETRY_MS, closed)
    if (closed.aborted) throw closing()
    stopped = await stopOnce(stopped)
  }
  return stopped
}

/** Says that a run did not stop in time. */
export function notStopped(session: string): MillraceError {
  return new MillraceError(
    'overloaded',
    `The server that carries on session ${session} has not stopped it; try again in a moment.`,
  )
}
