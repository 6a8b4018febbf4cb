import { copyFileSync, renameSync, rmSync, truncateSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { numberedLines } from '../../../../test/support/stores/sqlite/numbered-lines.ts'
import { readNumbered } from '../../../../test/support/stores/sqlite/read-numbered.ts'
import { temporaryPaths } from '../../../../test/support/stores/sqlite/temporary-store.ts'
import type { Store } from '../../port/index.ts'
import { createSqliteStore } from '../index.ts'

const nextPath = temporaryPaths()
const open: Store[] = []

afterEach(async () => {
  for (const store of open.splice(0)) await store.close()
})

const files = (path: string): string[] => [path, `${path}-wal`, `${path}-shm`]

function move(from: string, to: string): void {
  for (const [index, file] of files(from).entries()) renameSync(file, files(to)[index] ?? '')
}

async function openWritten(shared: boolean) {
  const path = nextPath()
  const store = createSqliteStore({ path, groupMs: 0, shared })
  open.push(store)
  const { epoch } = await store.open('a')
  const append = (tail: number) =>
    store.append({ session: 'a', epoch, tail, lines: numberedLines('a', tail, tail + 1) })
  await append(0)
  await store.info('a')
  const refusals = async (): Promise<unknown[]> =>
    Promise.all(
      [append(1), store.open('b'), store.ping()].map((work) =>
        work.then(
          () => 'acknowledged',
          (error: unknown) => error,
        ),
      ),
    )
  return { path, store, append, refusals }
}

const refused = (why: string): unknown =>
  expect.objectContaining({
    code: 'store_unavailable',
    message: expect.stringMatching(new RegExp(`${why}.*restart the server`)),
  })

test.each([false, true])(
  'a file that is moved is not written to until it is back (shared: %s)',
  async (shared) => {
    const { path, store, append, refusals } = await openWritten(shared)
    move(path, `${path}.moved`)
    expect(await refusals()).toEqual(Array(3).fill(refused('was deleted or moved')))
    expect(await readNumbered(store, 'a')).toBe(1)
    move(`${path}.moved`, path)
    await store.ping()
    expect((await append(1)).tail).toBe(2)
    await store.close()
    const again = createSqliteStore({ path })
    open.push(again)
    expect(await readNumbered(again, 'a')).toBe(2)
    expect(await again.info('b')).toBeUndefined()
  },
)

test('a file that is deleted, replaced or emptied rejects writes, and so does one without its write-ahead log', async () => {
  const ways: [string, (path: string) => void][] = [
    ['was deleted or moved', (path) => files(path).forEach((file) => rmSync(file))],
    ['-wal file of the store was deleted or moved', (path) => rmSync(`${path}-wal`)],
    ['was emptied', (path) => truncateSync(path)],
    [
      'was replaced by another file',
      (path) => {
        copyFileSync(path, `${path}.copy`)
        renameSync(`${path}.copy`, path)
      },
    ],
  ]
  for (const [why, harm] of ways) {
    const { path, refusals } = await openWritten(false)
    harm(path)
    expect(await refusals()).toEqual(Array(3).fill(refused(why)))
  }
})
