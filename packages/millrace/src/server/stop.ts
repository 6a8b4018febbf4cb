import { fromStore } from './from-store.ts'
import { launch } from './launch.ts'
import { inPlace, type RunContext, sessionMissing, toStoredSession } from './run-context.ts'

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
  const before = toStoredSession(await fromStore(store.info(session)))
  if (before === undefined) throw sessionMissing(session)
  const { state, status } = before
  if (status !== 'paused' || state === undefined || (agent ?? session) !== session) return false
  await inPlace(context, session, async () => {
    const info = await fromStore(store.open(session))
    const stored = { ...before, updatedAt: now(), status: 'running', stopReason: null } as const
    await launch(context, { info, stored, input: { state, stop: true } })
  })
  return true
}
