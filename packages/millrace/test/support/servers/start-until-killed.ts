/** Starts a run in process with a key, prints its session on stdout once it is stored, and hangs in its tool until it is killed. */
import { createSqliteStore } from '../../../src/stores/sqlite/index.ts'
import { openMill } from './open-mill.ts'

const [path = '', key = ''] = process.argv.slice(2)
const { mill } = openMill(createSqliteStore({ path }))
const { session } = await mill.sessions.start('hold it', { key })
process.stdout.write(`${session}\n`)
// Keeps the process alive without a reader of the run.
setInterval(() => {}, 1_000)
