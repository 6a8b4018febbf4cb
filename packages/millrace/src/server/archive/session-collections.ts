import { CELLS, laneCollection, ROOT_LANE } from '../../agent/state/index.ts'
import { parseJsonObject } from '../../json/index.ts'
import type { SessionInfo, Store } from '../../stores/port/index.ts'
import { CUTS } from '../sessions/cuts.ts'
import { RECORD } from '../sessions/record-writer.ts'
import { OLD_RUNS, RUNS } from '../runs/stored-run.ts'
import { TIMES } from '../runs/stored-times.ts'

/** The collections of parts that a session may have, besides the lanes of its agents. */
const collections = [RECORD, RUNS, OLD_RUNS, TIMES, CUTS, CELLS] as const

/** Names the collections in which a session may have parts: the root's cell counts the lanes of its agents. */
export async function collectionsOf(
  store: Pick<Store, 'parts'>,
  { session, log }: SessionInfo,
): Promise<readonly string[]> {
  const [root] = await store.parts(session, CELLS, { after: ROOT_LANE - 1, limit: 1 }, log)
  const lanes = Number(parseJsonObject(root?.body ?? '')?.['lanes'] ?? 1)
  return [...collections, ...Array.from({ length: lanes }, (_, lane) => laneCollection(lane))]
}
