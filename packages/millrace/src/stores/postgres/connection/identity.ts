import type { MillraceError } from '../../../errors/index.ts'
import type { Connection } from './connection.ts'
import type { Names } from '../names.ts'
import { schemaNewer, storeReplaced, toStoreError } from './store-errors.ts'
import { numberAt, textAt } from '../values.ts'

/** Checks that Postgres still holds the data that this process began with, in tables that it knows. */
export interface Identity {
  /** Throws `store_unavailable` if the last look has found other data: what is written now would be mixed with it. */
  check(): void
  /** Looks again, with a write, and rejects with what is wrong. */
  look(): Promise<void>
  /** Looks again now and then. */
  start(): void
  close(): void
}

/** How often the tables are looked at. */
const LOOK_MS = 5_000

/** Codes that tell that the tables are not there. */
const missing = /^(?:42P01|3F000|42883)$/

/**
 * Builds the identity of a store: the random id that was stored when its tables were made, with that of the database cluster, which a copy of
 * the tables in another one does not have.
 */
export function createIdentity(
  { send }: Pick<Connection, 'send'>,
  names: Names,
  version: number,
  onError: (error: unknown) => void,
): Identity {
  let known: string | undefined
  let problem: MillraceError | undefined
  let timer: ReturnType<typeof setInterval> | undefined

  const judge = (found: MillraceError | undefined): void => {
    if (found !== undefined && problem === undefined) onError(found)
    problem = found
  }

  const look = async (): Promise<void> => {
    // A standby, or a Postgres whose disk is full, answers questions and takes no writes.
    const [row] = await send(
      `UPDATE ${names.meta} SET probed_at = clock_timestamp()
       RETURNING store || ' ' || (SELECT system_identifier FROM pg_control_system()), version`,
    ).catch((error: unknown) => {
      const code = (error as { cause?: { code?: unknown } }).cause?.code
      if (missing.test(String(code))) judge(storeReplaced())
      throw toStoreError(error)
    })
    const id = row && textAt(row, 0)
    const found = row === undefined ? 0 : numberAt(row, 1)
    known ??= id
    if (id !== known || id === undefined) judge(storeReplaced())
    else judge(found > version ? schemaNewer(names.schema, found, version) : undefined)
  }

  return {
    check: () => {
      if (problem !== undefined) throw problem
    },
    look: async () => {
      await look()
      if (problem !== undefined) throw problem
    },
    start: () => {
      timer ??= setInterval(() => void look().catch(() => {}), LOOK_MS)
      timer.unref()
    },
    close: () => clearInterval(timer),
  }
}
