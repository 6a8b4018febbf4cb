import { mapStoreErrors } from '../map-store-errors.ts'
import { removedInRun } from '../recovery/renew-lease.ts'
import { checkOwner } from '../access/check-owner.ts'
import { withRunSlot, isElsewhere, type LogRange, type RunServices } from '../runs/run-services.ts'
import { headOf } from '../sessions/load-session.ts'
import type { PromptRequest } from './prompt-request.ts'
import { beginRun, underWay } from './begin-run.ts'
import { enqueue, findBusy, readQueued } from './queue.ts'
import { findReceipt, hasFailed } from './receipts.ts'

/**
 * Starts a run with a prompt, in a new session if there is none. A repeated key returns the range of the first outcome.
 * While a run is active, `whenBusy` applies. Requires the session's lock.
 */
export async function ask(services: RunServices, request: PromptRequest): Promise<LogRange> {
  const { session, key, owner, whenBusy = 'reject' } = request
  const repeated = key && (await findRepeated(services, request))
  if (repeated !== undefined) return repeated
  checkOwner(await mapStoreErrors(services.store.info(session)), owner)
  const busy = whenBusy === 'reject' ? undefined : await findBusy(services, session, whenBusy)
  if (busy !== undefined && whenBusy !== 'reject')
    return enqueue(services, { ...request, whenBusy }, busy)
  await endOfActive(services, session)
  return withRunSlot(services, session, async () => {
    const known = await mapStoreErrors(services.store.info(session))
    checkOwner(known, owner)
    if (isElsewhere(known)) throw underWay(session)
    // Another server may have started it since. Later changes are fenced by `known`.
    const since = key && (await findRepeated(services, request))
    return since ?? beginRun(services, request, { known })
  })
}

/** Finds the run that the first request with this key started. */
async function findRepeated(
  services: RunServices,
  { session, key, owner }: PromptRequest,
): Promise<LogRange | undefined> {
  const info = await mapStoreErrors(services.store.info(session))
  checkOwner(info, owner)
  const receipt = await findReceipt(services.store, info, key)
  if (info === undefined || key === undefined || receipt === undefined) return undefined
  const head = key.reuse === 'after_failure' ? headOf(info) : undefined
  if (head !== undefined && hasFailed(head, receipt.run)) return undefined
  return readQueued(services, info, key)
}

/** Waits for a run that is ending: a client may send a prompt as soon as it has read the end. */
async function endOfActive({ runs, store }: RunServices, session: string): Promise<void> {
  const run = runs.get(session)
  if (run === undefined) return
  if (run.isEnding()) return run.over
  if ((await mapStoreErrors(store.info(session)))?.log === run.log) throw underWay(session)
  // The log was removed, so nothing is stored any more; the run must not block a new session with this id.
  run.abort(removedInRun(session))
  return run.over
}
