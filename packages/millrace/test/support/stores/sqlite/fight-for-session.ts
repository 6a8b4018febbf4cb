/** Opens a session repeatedly, and appends to it until it is superseded; prints acknowledged appends on stdout. */
import { isMillraceError } from '../../../../src/errors/index.ts'
import { createSqliteStore } from '../../../../src/stores/sqlite/index.ts'

const [path = '', session = '', writer = '', rounds = '1'] = process.argv.slice(2)
const store = createSqliteStore({ path, groupMs: 0 })
const encoder = new TextEncoder()

for (let round = 0; round < Number(rounds); round++) {
  const { epoch, tail: start } = await store.open(session)
  try {
    for (let tail = start; ;) {
      const line = encoder.encode(`${epoch} ${writer}`)
      ;({ tail } = await store.append({ session, epoch, tail, lines: [line] }))
      process.stdout.write(`${tail} ${epoch} ${writer}\n`)
    }
  } catch (error) {
    if (!isMillraceError(error) || error.code !== 'lease_lost') throw error
  }
}
await store.close()
