import type { Store } from '../../stores/port/index.ts'
import { waitForTurn } from '../reading/wait-for-turn.ts'
import { createPageReader } from './page-reader.ts'
import { type ReaderPlace, VoidSteps } from './void-steps.ts'

/** What to look for, and where. */
export interface FindVoidSteps extends ReaderPlace {
  readonly store: Pick<Store, 'read'>
  /** The id after which the run begins in which the reader stands. */
  readonly start: number
  /** The last message to look at. */
  readonly upTo: number
}

/** Looks through a log, once and page by page, for the steps that were rolled back. [LOG-10] */
export async function findVoidSteps({
  store,
  start,
  upTo,
  ...place
}: FindVoidSteps): Promise<VoidSteps> {
  const steps = new VoidSteps(place, start)
  const readPage = createPageReader({ store, session: place.session })
  for (;;) {
    const { entries, isLast } = await readPage(steps.scanned, upTo)
    steps.scan(entries)
    if (isLast || entries.length === 0) return steps
    await waitForTurn()
  }
}
