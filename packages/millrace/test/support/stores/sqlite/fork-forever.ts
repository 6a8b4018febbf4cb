/** Appends to sessions, forks and removes them at random until it is killed; prints each removal before it begins, and each append and fork once it is acknowledged. */
import { createSqliteStore } from '../../../../src/stores/sqlite/index.ts'
import { branchName } from './branch-names.ts'
import { numberedLines } from './numbered-lines.ts'

const [path = '', root = ''] = process.argv.slice(2)
const store = createSqliteStore({ path, groupMs: 0 })
const say = (...words: readonly (string | number)[]): void =>
  void process.stdout.write(`${words.join(' ')}\n`)
const draw = (bound: number): number => Math.floor(Math.random() * bound)

async function appendSome(session: string): Promise<number> {
  const { epoch, tail: start } = await store.open(session)
  const lines = numberedLines(session, start, start + 1 + draw(4))
  const { tail } = await store.append({ session, epoch, tail: start, lines })
  say('has', session, tail)
  return tail
}

for (;;) {
  const { rows } = await store.list({ limit: 30, offset: 0 })
  const session = rows[draw(rows.length)]?.session ?? root
  const frame = draw((await appendSome(session)) + 1)
  const to = branchName(session, frame)
  const part = { collection: 'lane:0', number: 0, frame, body: to }
  // The head and the part have the name of the branch, so that the test detects a partly stored branch.
  const { tail } = await store.fork({ from: session, frame, to, head: to, parts: [part] })
  say('has', to, tail)
  await appendSome(to)
  const removed = rows[draw(rows.length)]?.session
  if (rows.length < 20 || removed === undefined) continue
  say('drops', removed)
  await store.remove(removed)
}
