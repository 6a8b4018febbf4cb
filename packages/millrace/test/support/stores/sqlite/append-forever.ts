/** Appends numbered lines to some sessions until it is killed, and prints acknowledged ones on stdout. */
import { createSqliteStore } from '../../../../src/stores/sqlite/index.ts'
import { numberedLines } from './numbered-lines.ts'

const [path = '', ...sessions] = process.argv.slice(2)
const store = createSqliteStore({ path, groupMs: 1 })

async function write(session: string): Promise<never> {
  const { epoch, tail: start } = await store.open(session)
  for (let tail = start; ;) {
    const lines = numberedLines(session, tail, tail + 1 + (tail % 5))
    const end = tail + lines.length
    const head = JSON.stringify({ tail: end })
    const parts = [
      { collection: 'appends', number: end, frame: end, body: head },
      { collection: 'last', number: 0, frame: end, body: head },
    ]
    ;({ tail } = await store.append({ session, epoch, tail, lines, head, parts }))
    process.stdout.write(`${session} ${tail} ${epoch}\n`)
  }
}

await Promise.all(sessions.map(write))
