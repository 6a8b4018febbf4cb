import type { SessionInfo, Store } from '../../stores/port/index.ts'
import { OLD_RUNS, RUNS } from '../runs/stored-run.ts'
import { TIMES } from '../runs/stored-times.ts'
import { CUTS } from '../sessions/cuts.ts'
import { GENERATED } from '../sessions/generated-files.ts'
import { RECORD } from '../sessions/record-writer.ts'
import { CELLS, laneCollection } from '../sessions/stored-state.ts'

/** The collections of parts that a session may have, besides the lanes of its state. */
const collections = [RECORD, RUNS, OLD_RUNS, TIMES, CUTS, GENERATED, CELLS] as const

/** Names the collections in which a session may have parts. Lanes have no gaps, and none is empty. */
export async function collectionsOf(
  store: Pick<Store, 'parts'>,
  { session, log }: SessionInfo,
): Promise<readonly string[]> {
  const found: string[] = [...collections]
  for (let lane = 0; ; lane++) {
    const collection = laneCollection(lane)
    const [first] = await store.parts(session, collection, { after: 0, limit: 1 }, log)
    if (first === undefined) return found
    found.push(collection)
  }
}
