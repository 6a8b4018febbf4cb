import { isMillraceError } from '../../../errors/index.ts'
import { createIdentity, type Identity } from '../../remote/index.ts'
import type { Connection } from './connection.ts'
import type { Names } from '../names.ts'
import { schemaNewer, storeReplaced } from './store-errors.ts'
import { numberAt, textAt } from '../values.ts'

/** Codes of missing tables. */
const missing = /^(?:42P01|3F000|42883)$/

/**
 * Creates the identity of a store: the random id stored at the creation of its tables, and the id of the database cluster. A copy of the
 * tables in another cluster has another identity.
 */
export function createPostgresIdentity(
  { send }: Pick<Connection, 'send'>,
  names: Names,
  version: number,
  onError: (error: unknown) => void,
): Identity {
  let known: string | undefined

  return createIdentity(async () => {
    try {
      // A write, because a standby or a Postgres with a full disk still answers reads.
      const [row] = await send(
        `UPDATE ${names.meta} SET probed_at = clock_timestamp()
         RETURNING store || ' ' || (SELECT system_identifier FROM pg_control_system()), version`,
      )
      const id = row && textAt(row, 0)
      const found = row === undefined ? 0 : numberAt(row, 1)
      known ??= id
      if (id !== known || id === undefined) return storeReplaced()
      return found > version ? schemaNewer(names.schema, found, version) : undefined
    } catch (error) {
      if (!isMillraceError(error)) throw error
      const { code } = Object(error.cause) as { readonly code?: unknown }
      if (missing.test(String(code))) return error
      throw error
    }
  }, onError)
}
