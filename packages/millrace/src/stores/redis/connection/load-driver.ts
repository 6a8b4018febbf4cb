import { createRequire } from 'node:module'
import type { Cluster, Command, Redis } from 'ioredis'
import { loadPeer } from '../../../errors/index.ts'

/** The used members of the driver. */
interface Driver {
  readonly Cluster: typeof Cluster
  readonly Command: typeof Command
  readonly Redis: typeof Redis
}

const require = createRequire(import.meta.url)

/** Loads the driver, an optional dependency. Synchronous, because store creation is. */
export function loadDriver(): Driver {
  return loadPeer('ioredis', 'The Redis store', () => require('ioredis') as Driver)
}
