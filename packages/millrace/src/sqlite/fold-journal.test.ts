import { expect, test } from 'vitest'
import { temporaryPaths } from '../../test/support/sqlite/temporary-store.ts'
import { openConnection } from './connection.ts'
import { createSqliteStore } from './index.ts'

const nextPath = temporaryPaths()

/** How many rows are in the journal of a file. */
function countJournal(path: string): unknown {
  const connection = openConnection(path, 1_000)
  const row = connection.prepare('SELECT count(*) FROM journal').get()
  connection.close()
  return row?.[0]
}

test('the journal is empty once it is folded, also if all that it held was removed', async () => {
  const path = nextPath()
  const store = createSqliteStore({ path, groupMs: 0 })
  await store.open('a')
  await store.open('b')
  expect(countJournal(path)).toBe(2)
  await store.remove('a')
  await store.remove('b')
  expect(await store.list({ limit: 1, offset: 0 })).toEqual({ rows: [], total: 0 })
  expect(countJournal(path)).toBe(0)
  await store.close()
})
