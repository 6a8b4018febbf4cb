import type { LogEntry, Store } from '../../stores/port/index.ts'
import { hasAt } from '../feeds/line-head.ts'
import { scanBackwards } from './scan-backwards.ts'
import type { LogRange } from '../runs/run-services.ts'

const encoder = new TextEncoder()

/**
 * The id after which the run begins that a message belongs to: what precedes the root's latest `meta_init` up to
 * there, whose messages are stored at once and so stand together. [LIFE-1]
 */
export async function findRunStart(
  store: Pick<Store, 'read'>,
  { session, root = session }: Pick<LogRange, 'session' | 'root'>,
  id: number,
): Promise<number> {
  const beginning = encoder.encode(`{"type":"meta_init","agent":${JSON.stringify(root)},`)
  const isBeginning = ({ line }: LogEntry): boolean => hasAt(line, beginning, 0)
  const last = await scanBackwards(store, session, id, isBeginning)
  return scanBackwards(store, session, last, (entry) => !isBeginning(entry))
}
