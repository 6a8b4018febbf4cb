import type { Client, Pool } from 'pg'
import { MillraceError } from '../../../errors/index.ts'

/** The driver, as far as it is used. */
export interface Driver {
  readonly Client: typeof Client
  readonly Pool: typeof Pool
}

/** Loads the driver only when a store is used: not everyone has installed it. */
export async function loadDriver(load = () => import('pg')): Promise<Driver> {
  try {
    return (await load()).default
  } catch (cause) {
    throw new MillraceError(
      'unsupported',
      'The package `pg` could not be loaded, with which Postgres is reached; run `npm install pg`.',
      { cause },
    )
  }
}
