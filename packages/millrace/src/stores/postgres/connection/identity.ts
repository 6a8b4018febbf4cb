import type { MillraceError } from '../../../errors/index.ts'
import type { Connection } from './connection.ts'
import type { Names } from '../names.ts'
import { schemaNewer, storeReplaced, toStoreError } from './store-errors.ts'
import { numberAt, textAt } from '../values.ts'

/** Checks that Postgres still has the data and the schema version from the start of this process. */
export interface Identity {
  /** Throws `store_unavailable` if the last check found other data, because new writes would be mixed with it. */
  check(): void
  /** Checks the tables, with a write, and rejects with the problem. */
  look(): Promise<void>
  /** Starts periodic checks. */
  start(): void
  close(): void
}

/** Interval of checks. */
const LOOK_MS = 5_000

/** Codes of missing tables. */
const missing = /^(?:42P01|3F000|42883)$/

/**
 * Creates the identity of a store: the random id stored at the creation of its tables, and the id of the database cluster. A copy of the
 * tables in another cluster has another identity.
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

  const setProblem = (found: MillraceError | undefined): void => {
    if (found !== undefined && problem === undefined) onError(found)
    problem = found
  }

  const look = async (): Promise<void> => {
    // A write, because a standby or a Postgres with a full disk still answers reads.
    const [row] = await send(
      `UPDATE ${names.meta} SET probed_at = clock_timestamp()
       RETURNING store || ' ' || (SELECT system_identifier FROM pg_control_system()), version`,
    ).catch((error: unknown) => {
      const code = (error as { cause?: { code?: unknown } }).cause?.code
      if (missing.test(String(code))) setProblem(storeReplaced())
      throw toStoreError(error)
    })
    const id = row && textAt(row, 0)
    const found = row === undefined ? 0 : numberAt(row, 1)
    known ??= id
    if (id !== known || id === undefined) setProblem(storeReplaced())
    else setProblem(found > version ? schemaNewer(names.schema, found, version) : undefined)
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
