import { compareLog, sessionUnknown } from '../../port/index.ts'
import type { RedisContext } from '../create-redis-context.ts'
import { trim } from '../scripts/index.ts'
import { stateOf, statusOf } from '../sessions/session-state.ts'

/** Discards the frames of a session before an id. */
export async function trimLog(
  { run, keys, lossDetector }: RedisContext,
  session: string,
  before: number,
  named: string | undefined,
): Promise<void> {
  const { meta, log } = keys.session(session)
  const reply = await run(trim, [meta, log], [before, named ?? ''])
  if (statusOf(reply) === 'missing') {
    await lossDetector.verify(session)
    throw sessionUnknown(session)
  }
  const state = stateOf(reply)
  compareLog(session, named, state.log)
  await lossDetector.record(session, state)
}
