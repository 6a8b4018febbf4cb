import { fromStore } from '../map-store-errors.ts'
import { removedInRun } from '../recovery/keep-lease.ts'
import { inPlace, isElsewhere, type Reading, type RunContext } from '../runs/run-services.ts'
import type { Question } from './asked-session.ts'
import { beginRun, underWay } from './begin-run.ts'
import { enqueue, findBusy, readQueued } from './queue.ts'
import { findReceipt } from './receipts.ts'

/**
 * Starts a run with a question; the session is made if there is none. The same key again reads what it has led to. While a run is
 * under way the question decides what is done with it. Needs the session's lock.
 */
export async function ask(context: RunContext, question: Question): Promise<Reading> {
  const { session, key, whenBusy = 'reject' } = question
  const repeated = key && (await findRepeated(context, question))
  if (repeated !== undefined) return repeated
  const busy = whenBusy === 'reject' ? undefined : await findBusy(context, session, whenBusy)
  if (busy !== undefined && whenBusy !== 'reject')
    return enqueue(context, { ...question, whenBusy }, busy)
  await endOfActive(context, session)
  return inPlace(context, session, async () => {
    const known = await fromStore(context.store.info(session))
    if (isElsewhere(known)) throw underWay(session)
    // Another server may have begun it since; what it does from here on is fenced by what is known.
    const since = key && (await findRepeated(context, question))
    return since ?? beginRun(context, question, { known })
  })
}

/** What the same request has led to when it came first. */
async function findRepeated(
  context: RunContext,
  { session, key }: Question,
): Promise<Reading | undefined> {
  const info = await fromStore(context.store.info(session))
  const receipt = await findReceipt(context.store, info, key)
  if (info === undefined || key === undefined || receipt === undefined) return undefined
  return readQueued(context, info, key)
}

/** A client may ask again as soon as it has read the end, which is a moment before the run is put away. */
async function endOfActive({ runs, store }: RunContext, session: string): Promise<void> {
  const run = runs.get(session)
  if (run === undefined) return
  if (run.isEnding()) return run.over
  if ((await fromStore(store.info(session)))?.log === run.log) throw underWay(session)
  // Nothing that it does is stored any more, and it must not keep the next session of this name waiting.
  run.abort(removedInRun(session))
  return run.over
}
