/** Queues prompts behind a run, starts them, and prints the acknowledged ones on stdout, until it is killed. */
import { createSqliteStore } from '../../../src/stores/sqlite/index.ts'
import { openCommandServer } from './command-server.ts'

const [path = '', round = ''] = process.argv.slice(2)
const server = openCommandServer(createSqliteStore({ path }))
await server.ask('hold', { message_id: `${round}-0` })
process.stdout.write(`${round}-0\n`)
for (let n = 1; ; n++) {
  const id = `${round}-${n}`
  const status = await server.queue(id)
  if (status === 202) process.stdout.write(`${id}\n`)
  // From here on each starts as soon as the one before it has ended.
  if (n === 3) server.gate.open()
  await new Promise((resolve) => setTimeout(resolve, 5))
}
