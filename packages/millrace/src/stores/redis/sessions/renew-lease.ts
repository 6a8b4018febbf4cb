import { leaseLost, sessionUnknown, type Lease } from '../../port/index.ts'
import type { RedisContext } from '../redis-context.ts'
import { numberAt } from '../reply.ts'
import { renew } from '../scripts/index.ts'
import { FIRST_DETAIL, stateOf, statusOf } from './session-state.ts'
import { logTruncated } from '../connection/store-errors.ts'

/** Renews the lease on a session for its current writer. */
export async function renewLease(
  { run, keys, lossDetector, shared, note }: RedisContext,
  session: string,
  epoch: number,
  { owner, ms }: Lease,
  log = '',
): Promise<{ inbox: number }> {
  const seen = lossDetector.lastKnown(session)
  const writer = seen?.epoch === epoch ? seen.writer : ''
  const reply = await run(
    renew,
    [keys.session(session).meta, ...shared],
    [session, epoch, writer, owner, ms, log],
  )
  const status = statusOf(reply)
  const state = stateOf(reply)
  if (status === 'truncated') throw logTruncated(session, state.tail)
  if (status !== 'ok') {
    await lossDetector.verify(session)
    throw status === 'missing' ? sessionUnknown(session) : leaseLost(session, epoch, state.epoch)
  }
  if (await lossDetector.record(session, state)) throw logTruncated(session, state.tail)
  await note(session, { lease: ms })
  return { inbox: numberAt(reply, FIRST_DETAIL) }
}
