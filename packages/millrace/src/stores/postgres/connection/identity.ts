import { isMillraceError, type MillraceError } from '../../../errors/index.ts'
import { createIdentity, type Identity } from '../../remote/index.ts'
import type { Connection } from './connection.ts'
import type { Names } from '../names.ts'
import { schemaNewer, storeReplaced } from './store-errors.ts'
import { numberAt, textAt } from '../values.ts'

/** Checks that Postgres still has the data and the schema version from the start of this process. */
export interface PostgresIdentity extends Identity {
  /** Takes note of a failed write: the next checks also write something that needs space, if the disk was full. */
  note(error: unknown): void
}

const missing = /^(?:42P01|3F000|42883)$/
const DISK_FULL = '53100'

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
export function createPostgresIdentity(
  { send }: Pick<Connection, 'send'>,
  names: Names,
  version: number,
  onError: (error: unknown) => void,
): PostgresIdentity {
  let known: string | undefined
  let isFull = false

  const inspect = async (): Promise<MillraceError | undefined> => {
    // A write, because a standby or a Postgres with a full disk still answers reads.
    const [row] = await send(
      `UPDATE ${names.meta} SET probed_at = clock_timestamp()
       RETURNING store || ' ' || (SELECT system_identifier FROM pg_control_system()), version`,
    )
    const id = row && textAt(row, 0)
    const found = row === undefined ? 0 : numberAt(row, 1)
    known ??= id
    if (id !== known || id === undefined) return storeReplaced()
    if (found > version) return schemaNewer(names.schema, found, version)
    // An update finds room in the pages of its table, however full the disk is.
    if (isFull) await send(needSpace(names))
    isFull = false
    return undefined
  }

  const identity = createIdentity(async () => {
    try {
      return await inspect()
    } catch (error) {
      if (isMillraceError(error) && missing.test(causeOf(error))) return error
      throw error
    }
  }, onError)

  return {
    ...identity,
    note: (error) => {
      isFull ||= causeOf(error) === DISK_FULL
    },
  }
}
