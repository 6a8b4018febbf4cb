import { fromStore } from './from-store.ts'
import { launch } from './launch.ts'
import { encodeCommand } from './run-command.ts'
import {
  inPlace,
  isElsewhere,
  leaseOf,
  type RunContext,
  sessionMissing,
  toStoredSession,
} from './run-context.ts'

/**
 * Stops the run of a session, or one agent of it. A run that has paused is closed: what waited is answered with what
 * happened. Needs the session's lock.
 */
export async function stop(
  context: RunContext,
  session: string,
  agent: string | undefined,
): Promise<boolean> {
  const { store, runs, now } = context
  const run = runs.get(session)
  if (run !== undefined && !run.isEnding()) return run.control.stop(agent)
  await run?.over
  const known = await fromStore(store.info(session))
  if (isElsewhere(known)) {
    const whom = agent === undefined ? {} : { agent }
    await store.send(session, encodeCommand({ type: 'stop', ...whom }))
    return true
  }
  const before = toStoredSession(known)
  if (before === undefined) throw sessionMissing(session)
  const { state, status } = before
  if (status !== 'paused' || state === undefined || (agent ?? session) !== session) return false
  await inPlace(context, session, async () => {
    const info = await fromStore(store.open(session, leaseOf(context)))
    const stored = { ...before, updatedAt: now(), status: 'running', stopReason: null } as const
    await launch(context, { info, stored, input: { state, stop: true } })
  })
  return true
}
