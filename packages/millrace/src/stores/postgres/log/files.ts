import { type FilePort, sessionUnknown } from '../../port/index.ts'
import type { PostgresContext } from '../create-postgres-context.ts'
import { withChain } from '../names.ts'
import { checkFileSize } from '../../remote/index.ts'
import { bytesAt, checkName, textAt } from '../values.ts'

/** Creates the file port. */
export function createFiles({ send, names }: PostgresContext, maxFileBytes: number): FilePort {
  return {
    putFile: async (session, { id, mediaType, filename, bytes }) => {
      checkFileSize(bytes, maxFileBytes)
      const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      const name = filename === undefined ? null : Buffer.from(filename)
      const values = [checkName(session), Buffer.from(id), Buffer.from(mediaType), name, body]
      const [row] = await send(`SELECT * FROM ${names.put_file}($1, $2, $3, $4, $5)`, values)
      if (row === undefined) throw sessionUnknown(session)
    },

    file: async (session, id) => {
      const [row] = await send(
        `${withChain(names)}
         SELECT f.media_type, f.filename, f.body FROM chain c CROSS JOIN LATERAL
         (SELECT * FROM ${names.files} WHERE log = c.number AND id = $2 AND tail <= coalesce(c.upto, tail) OFFSET 0) f
         ORDER BY c.upto DESC NULLS FIRST LIMIT 1`,
        [checkName(session), Buffer.from(id)],
      )
      if (row === undefined) return undefined
      const filename = textAt(row, 1)
      const file = { id, mediaType: textAt(row, 0) ?? '', bytes: bytesAt(row, 2) }
      return filename === undefined ? file : { ...file, filename }
    },

    fileIds: async (session) => {
      const rows = await send(
        `${withChain(names)}
         SELECT DISTINCT f.id FROM chain c CROSS JOIN LATERAL
         (SELECT id FROM ${names.files} WHERE log = c.number AND tail <= coalesce(c.upto, tail) OFFSET 0) f`,
        [checkName(session)],
      )
      return rows.map((row) => textAt(row, 0) ?? '')
    },
  }
}
