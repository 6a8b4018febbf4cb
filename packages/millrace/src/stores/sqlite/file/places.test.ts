import { expect, test } from 'vitest'
import { numberedLines } from '../../../../test/support/stores/sqlite/numbered-lines.ts'
import { temporaryPaths } from '../../../../test/support/stores/sqlite/temporary-store.ts'
import type { Store } from '../../port/index.ts'
import { textAt } from './columns.ts'
import { openConnection } from './connection.ts'
import { createSqliteStore } from '../index.ts'
import { readTexts } from './statements.ts'

const nextPath = temporaryPaths()
const everything = { limit: 10, offset: 0 }

/** Creates two similar sessions with frames in pages, a head, a file, commands and owners. */
async function createFile(): Promise<string> {
  const path = nextPath()
  const store = createSqliteStore({ path, groupMs: 0 })
  const bytes = Uint8Array.of(1, 2, 3)
  for (const session of ['a', 'b']) {
    await store.open(session, undefined, 0, `owner of ${session}`)
    const append = { session, epoch: 1, head: `head of ${session}` }
    await store.append({ ...append, tail: 0, lines: numberedLines(session, 0, 300) })
    await store.append({ ...append, tail: 300, lines: numberedLines(session, 300, 600) })
    await store.putFile(session, { id: `file of ${session}`, mediaType: 'text/plain', bytes })
    await store.submit(session, { key: `key of ${session}`, body: session })
  }
  await store.list(everything)
  await store.close()
  return path
}

const readLog = (store: Store): Promise<unknown> => store.read('a', 0, 1_000)
const readFile = (store: Store): Promise<unknown> => store.file('a', 'file of a')
const readInfo = (store: Store): Promise<unknown> => store.info('a')
const readPending = (store: Store): Promise<unknown> => store.pending('a')
const readList = (store: Store): Promise<unknown> => store.list(everything)
const readOwned = (store: Store): Promise<unknown> =>
  store.list({ ...everything, owner: 'owner of b' })

const inA = "(SELECT number FROM sessions WHERE name = 'a')"
const inB = "(SELECT number FROM sessions WHERE name = 'b')"

test.each([
  ['the id of a page', `UPDATE pages SET key = key - 1 WHERE key >> 32 = ${inA}`, readLog],
  [
    'the session of a page',
    `DELETE FROM pages WHERE key >> 32 = ${inA};
     UPDATE pages SET key = (${inA} << 32) | (key & 4294967295)`,
    readLog,
  ],
  [
    'the session of a head',
    `DELETE FROM heads WHERE session = ${inA}; UPDATE heads SET session = ${inA}`,
    readInfo,
  ],
  ['the tail of a head', 'UPDATE heads SET tail = tail + 1', readInfo],
  [
    'the session of a file',
    `DELETE FROM files WHERE session = ${inA};
     UPDATE files SET session = ${inA}, id = 'file of a' WHERE session = ${inB}`,
    readFile,
  ],
  ['the type of a file', "UPDATE files SET media_type = 'text/html'", readFile],
  ['the key of a command', "UPDATE inbox SET key = 'key of x' WHERE key = 'key of a'", readPending],
  [
    'the state of a command',
    'UPDATE inbox SET is_pending = 0',
    (store: Store) => store.command('a', 'key of a'),
  ],
  [
    'the owner of a session',
    `UPDATE sessions SET (owner, owner_sum) = (SELECT owner, owner_sum FROM sessions WHERE name = 'b') WHERE name = 'a'`,
    readInfo,
  ],
  ['a lost owner', "UPDATE sessions SET owner = NULL WHERE name = 'a'", readInfo],
  ['a lost sum of an owner', "UPDATE sessions SET owner_sum = NULL WHERE name = 'a'", readList],
  ['an owner in a list', "UPDATE sessions SET owner = x'61' WHERE name = 'a'", readList],
  [
    'an owner in the list of another one',
    `UPDATE sessions SET owner = (SELECT owner FROM sessions WHERE name = 'b') WHERE name = 'a'`,
    readOwned,
  ],
])('a wrong position is detected: %s', async (_, harm, read) => {
  const path = await createFile()
  const whole = createSqliteStore({ path })
  await read(whole)
  await whole.close()
  const connection = openConnection(path, 0)
  connection.exec(harm)
  connection.close()
  const store = createSqliteStore({ path })
  const error: unknown = await read(store).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({
    code: 'store_unavailable',
    message: expect.stringContaining('damaged'),
  })
  await store.close()
})

test('the sessions of an owner are found and counted by an index', async () => {
  const connection = openConnection(await createFile(), 0)
  for (const sql of [readTexts.nextOwned, readTexts.countOwned]) {
    const plan = connection.prepare(`EXPLAIN QUERY PLAN ${sql}`).get() ?? []
    expect(textAt(plan, 3)).toMatch(/SEARCH sessions USING .*INDEX sessions_by_owner \(owner=\?/)
  }
  connection.close()
})
