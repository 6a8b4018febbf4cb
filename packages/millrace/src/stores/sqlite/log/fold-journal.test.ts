import { expect, test } from 'vitest'
import { numberedLines } from '../../../../test/support/stores/sqlite/numbered-lines.ts'
import { temporaryPaths } from '../../../../test/support/stores/sqlite/temporary-store.ts'
import { openConnection } from '../file/connection.ts'
import { createSqliteStore } from '../index.ts'

const nextPath = temporaryPaths()

/** Queries the file of a store on another connection. */
function ask(path: string, sql: string): unknown {
  const connection = openConnection(path, 1_000)
  const row = connection.prepare(sql).get()
  connection.close()
  return row?.[0]
}

const countJournal = (path: string): unknown => ask(path, 'SELECT count(*) FROM journal')

test('the journal is empty after folding, also if all its data were removed', async () => {
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

test('a journal with a missing row is reported as damaged, and no frame gets the id of another', async () => {
  const path = nextPath()
  const store = createSqliteStore({ path, groupMs: 0 })
  await store.open('a')
  for (let tail = 0; tail < 3; tail++) {
    await store.append({ session: 'a', epoch: 1, tail, lines: numberedLines('a', tail, tail + 1) })
  }
  ask(path, 'DELETE FROM journal WHERE number = 3 RETURNING number')
  const refusal: unknown = await store.open('b').catch((error: unknown) => error)
  expect(refusal).toMatchObject({ code: 'store_unavailable' })
  expect(String(refusal)).toContain('frames of session number 1 are missing')
  await store.close()
})
