/** Serves the agents of all kits on a file of SQLite, and prints its address. */
import { createHandler } from 'millrace/server'
import { createProcessOwner, serve } from 'millrace/node'
import { createSqliteStore } from 'millrace/sqlite'
import type { Speed } from './emulated-mill.ts'
import { kits } from './kits.ts'

const [path = '', speed = 'instant', port = '0'] = process.argv.slice(2)
const agents = Object.fromEntries(
  kits.map((kit, index) => [`kit${index}`, kit.open(speed as Speed)]),
)
const handler = createHandler({
  agents,
  defaultAgent: 'kit0',
  store: createSqliteStore({ path }),
  ...createProcessOwner(),
  onViolation: (violation) => {
    throw new Error(JSON.stringify(violation))
  },
})
const { url } = await serve({ handler, port: Number(port) })
process.stdout.write(`${url}\n`)
