import type { StatePart, StoredState } from '../../agent/port/index.ts'
import type { PartChange, SessionInfo, Store } from '../../stores/port/index.ts'
import { createRestore } from '../files/prompt-files.ts'
import { toStoredBlock } from '../files/stored-blocks.ts'
import { mapStoreErrors } from '../map-store-errors.ts'

/** The collection of the cells of a state. The number of a cell is that of its lane. */
export const CELLS = 'own:cells'

const PAGE = 256

/** Returns the collection of the parts of one lane. */
export function laneCollection(lane: number): string {
  return `lane:${lane}`
}

/** Opens the stored state of a session for its agent. */
export function openState(
  store: Pick<Store, 'parts' | 'file'>,
  { session, log }: Pick<SessionInfo, 'session' | 'log'>,
): StoredState {
  const restore = createRestore({ store, session })
  return {
    cells: () => readCells(store, { session, log }),
    async *parts(lane, { after = 0, upTo = Number.MAX_SAFE_INTEGER } = {}) {
      for (let last = after; last < upTo;) {
        const range = { after: last, limit: Math.min(PAGE, upTo - last) }
        const collection = laneCollection(lane)
        const page = await mapStoreErrors(store.parts(session, collection, range, log))
        yield* page
        last = page.at(-1)?.number ?? upTo
        if (page.length < range.limit) return
      }
    },
    blocks: { toStored: toStoredBlock, restore: (blocks) => mapStoreErrors(restore(blocks)) },
  }
}

/** Reads the cells of a state by lane. */
export async function readCells(
  store: Pick<Store, 'parts'>,
  { session, log }: Pick<SessionInfo, 'session' | 'log'>,
): Promise<ReadonlyMap<number, string>> {
  const cells = new Map<number, string>()
  for (let after = -1; ;) {
    const page = await mapStoreErrors(store.parts(session, CELLS, { after, limit: PAGE }, log))
    for (const { number, body } of page) cells.set(number, body)
    after = page.at(-1)?.number ?? after
    if (page.length < PAGE) return cells
  }
}

/** Adds the collection to a part of a state. */
export function toPartChange({ lane, number, body }: StatePart, frame: number): PartChange {
  const place =
    number === 0
      ? { collection: CELLS, number: lane }
      : { collection: laneCollection(lane), number }
  return body === null ? { ...place, body } : { ...place, body, frame }
}
