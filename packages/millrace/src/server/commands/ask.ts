import { mapStoreErrors } from '../map-store-errors.ts'
import { removedInRun } from '../recovery/renew-lease.ts'
import { withRunSlot, isElsewhere, type LogRange, type RunServices } from '../runs/run-services.ts'
import { headOf } from '../sessions/load-session.ts'
import type { PromptRequest } from './prompt-request.ts'
import { beginRun, underWay } from './begin-run.ts'
import { enqueue, findBusy, readQueued } from './queue.ts'
import { findReceipt, hasFailed } from './receipts.ts'

/**
 * Starts a run with a question; the session is made if there is none. The same key again reads what it has led to. While a run is
 * under way the question decides what is done with it. Needs the session's lock.
 */
export async function ask(services: RunServices, question: PromptRequest): Promise<LogRange> {
  const { session, key, whenBusy = 'reject' } = question
  const repeated = key && (await findRepeated(services, question))
  if (repeated !== undefined) return repeated
  const busy = whenBusy === 'reject' ? undefined : await findBusy(services, session, whenBusy)
  if (busy !== undefined && whenBusy !== 'reject')
    return enqueue(services, { ...question, whenBusy }, busy)
  await endOfActive(services, session)
  return withRunSlot(services, session, async () => {
    const known = await mapStoreErrors(services.store.info(session))
    if (isElsewhere(known)) throw underWay(session)
    // Another server may have begun it since; what it does from here on is fenced by what is known.
    const since = key && (await findRepeated(services, question))
    return since ?? beginRun(services, question, { known })
  })
}

/** Finds the run that the first request with this key started. */
async function findRepeated(
  services: RunServices,
  { session, key }: PromptRequest,
): Promise<LogRange | undefined> {
  const info = await mapStoreErrors(services.store.info(session))
  const receipt = await findReceipt(services.store, info, key)
  if (info === undefined || key === undefined || receipt === undefined) return undefined
  const head = key.reuse === 'after_failure' ? headOf(info) : undefined
  if (head !== undefined && hasFailed(head, receipt.run)) return undefined
  return readQueued(services, info, key)
}

/** A client may ask again as soon as it has read the end, which is a moment before the run is put away. */
async function endOfActive({ runs, store }: RunServices, session: string): Promise<void> {
  const run = runs.get(session)
  if (run === undefined) return
  if (run.isEnding()) return run.over
  if ((await mapStoreErrors(store.info(session)))?.log === run.log) throw underWay(session)
  // Nothing that it does is stored any more, and it must not keep the next session of this name waiting.
  run.abort(removedInRun(session))
  return run.over
}
