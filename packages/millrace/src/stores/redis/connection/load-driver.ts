import { createRequire } from 'node:module'
import { loadPeer } from '../../../errors/index.ts'

/** The used members of the driver. */
type Driver = Pick<typeof import('ioredis'), 'Cluster' | 'Command' | 'Redis'>

const require = createRequire(import.meta.url)

/** Loads the driver, an optional dependency; synchronously, because a store is created so. */
export function loadDriver(): Driver {
  return loadPeer('ioredis', 'The Redis store', () => require('ioredis') as Driver)
}
