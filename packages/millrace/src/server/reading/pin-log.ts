import type { Store } from '../../stores/port/index.ts'
import type { LogSource } from '../feeds/page-reader.ts'

/** Reads one log of a store: a session that begins again is not read in its place. [LOG-13] */
export function pinLog(store: Pick<Store, 'read' | 'wait'>, log: string | undefined): LogSource {
  if (log === undefined) return store
  return {
    read: (session, after, limit) => store.read(session, after, limit, log),
    wait: (session, after, signal) => store.wait(session, after, signal, log),
  }
}
