import type { MillraceError } from '../../../errors/index.ts'
import type { Connection } from './connection.ts'
import type { Names } from '../names.ts'
import { schemaNewer, storeReplaced, toStoreError } from './store-errors.ts'
import { numberAt, textAt } from '../values.ts'

/** Checks that Postgres still has the data and the schema version from the start of this process. */
export interface Identity {
  /** Throws `store_unavailable` if the last check found other data, because new writes would be mixed with it. */
  check(): void
  /** Takes note of a failed write: the next checks also write something that needs space, if the disk was full. */
  note(error: unknown): void
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

const DISK_FULL = '53100'

/** Returns the code of Postgres in an error of the store. */
function causeOf(error: unknown): string {
  return String((error as { cause?: { code?: unknown } }).cause?.code)
}

/** Creates a statement that takes 64 KB of the disk and leaves nothing behind. */
function needSpace({ files }: Names): string {
  const row = `-1, '', '', convert_to(repeat('x', 65536), 'UTF8')`
  return `DO $$ BEGIN
    INSERT INTO ${files} (log, id, media_type, body) VALUES (${row});
    RAISE EXCEPTION 'undone';
  EXCEPTION WHEN raise_exception THEN NULL; END $$`
}

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
  let isFull = false

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
      if (missing.test(causeOf(error))) setProblem(storeReplaced())
      throw toStoreError(error)
    })
    const id = row && textAt(row, 0)
    const found = row === undefined ? 0 : numberAt(row, 1)
    known ??= id
    if (id !== known || id === undefined) setProblem(storeReplaced())
    else setProblem(found > version ? schemaNewer(names.schema, found, version) : undefined)
    // An update finds room in the pages of its table, however full the disk is.
    if (isFull) await send(needSpace(names))
    isFull = false
  }

  return {
    check: () => {
      if (problem !== undefined) throw problem
    },
    note: (error) => {
      isFull ||= causeOf(error) === DISK_FULL
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
