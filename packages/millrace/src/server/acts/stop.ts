import { waitingAgents } from '../../agent/index.ts'
import { fromStore } from '../from-store.ts'
import { launch } from '../launch.ts'
import { openIdle } from './open-idle.ts'
import { encodeCommand } from './run-command.ts'
import {
  inPlace,
  isElsewhere,
  type RunContext,
  sessionMissing,
  toStoredSession,
} from '../run-context.ts'

/**
 * Stops the run of a session, or one agent of it. A run that has paused is closed: what waited is answered with what
 * happened; if only a sub-agent is stopped that waits in it, the rest goes on. Needs the session's lock.
 */
export async function stop(
  context: RunContext,
  session: string,
  agent: string | undefined,
): Promise<boolean> {
  const { store, runs, now } = context
  const whom = agent === session ? undefined : agent
  const run = runs.get(session)
  if (run !== undefined && !run.isEnding()) return run.control.stop(whom)
  await run?.over
  const known = await fromStore(store.info(session))
  if (isElsewhere(known)) {
    const one = whom === undefined ? {} : { agent: whom }
    await fromStore(store.send(session, encodeCommand({ type: 'stop', ...one })))
    return true
  }
  const before = toStoredSession(known)
  if (before === undefined) throw sessionMissing(session)
  const { state, status } = before
  if (status !== 'paused' || state === undefined) return false
  if (whom !== undefined && !waitingAgents(state).includes(whom)) return false
  await inPlace(context, session, async () => {
    const info = await openIdle(context, session, known)
    const stopping: true | string = whom ?? true
    const running = { updatedAt: now(), status: 'running', stopReason: null } as const
    const stored = { ...before, ...running, stop: stopping }
    await launch(context, { info, stored, input: { state, stop: stopping } })
  })
  return true
}
