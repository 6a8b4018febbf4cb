import type { Client, Pool } from 'pg'
import { loadPeer } from '../../../errors/index.ts'

/** The used members of the driver. */
interface Driver {
  readonly Client: typeof Client
  readonly Pool: typeof Pool
}

/** Loads the driver when a store is used. It is an optional dependency. */
export async function loadDriver(load = () => import('pg')): Promise<Driver> {
  return (await loadPeer('pg', 'The Postgres store', load)).default
}
