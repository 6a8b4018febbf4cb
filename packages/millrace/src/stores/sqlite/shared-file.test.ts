import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { numberedLines } from '../../../test/support/stores/sqlite/numbered-lines.ts'
import { expectNumbered, readNumbered } from '../../../test/support/stores/sqlite/read-numbered.ts'
import { temporaryPaths } from '../../../test/support/stores/sqlite/temporary-store.ts'
import { openConnection } from './file/connection.ts'
import { migrations } from './file/schema.ts'
import { createSqliteStore } from './index.ts'

const nextPath = temporaryPaths()

test('writes of other processes to a shared file are visible, and so are their commands', async () => {
  const path = nextPath()
  const ours = createSqliteStore({ path, shared: true, pollMs: 5 })
  const theirs = createSqliteStore({ path, shared: true, pollMs: 5 })
  await ours.open('a')
  const { signal } = new AbortController()
  const waits = [ours, theirs].map((store) => store.wait('a', 0, signal))
  const heard: string[] = []
  const stops = [ours, theirs].map((store, index) =>
    store.onCommand((session, command) => heard.push(`${index} ${session} ${command}`)),
  )
  await ours.append({ session: 'a', epoch: 1, tail: 0, lines: numberedLines('a', 0, 3) })
  await Promise.all(waits)
  expect(await readNumbered(theirs, 'a')).toBe(3)
  await theirs.send('a', 'stop')
  while (heard.length < 2) await sleep(5)
  expect(heard.toSorted()).toEqual(['0 a stop', '1 a stop'])
  stops.forEach((stop) => stop())
  const dismissed = ours.wait('a', 3, signal).catch((error: unknown) => error)
  await theirs.remove('a')
  expect(await dismissed).toMatchObject({ code: 'not_found' })
  await Promise.all([ours.close(), theirs.close()])
}, 60_000)

test('branches, removals and trims of other processes are visible', async () => {
  const path = nextPath()
  const ours = createSqliteStore({ path, shared: true, pollMs: 5 })
  const theirs = createSqliteStore({ path, shared: true, pollMs: 5 })
  const { log } = await ours.open('p')
  await ours.append({ session: 'p', epoch: 1, tail: 0, lines: numberedLines('p', 0, 9) })
  await theirs.fork({ from: 'p', frame: 6, to: 'x', head: 'x' })
  const parent = { session: 'p', log, frame: 6 }
  expect(await ours.info('x')).toMatchObject({ tail: 6, head: 'x', parent })
  expect(await readNumbered(ours, 'p')).toBe(9)
  expect(await ours.branches('p', 9)).toEqual([{ session: 'x', frame: 6 }])
  await theirs.trim('p', 8)
  const trimmed: unknown = await ours.read('p', 0, 9).catch((error: unknown) => error)
  expect(trimmed).toMatchObject({ code: 'cursor_trimmed', details: { earliest: 8 } })
  await theirs.remove('p')
  expect(await ours.info('p')).toBe(undefined)
  expectNumbered('p', 0, await ours.read('x', 0, 9))
  const dismissed = ours.wait('x', 6, new AbortController().signal).catch((error: unknown) => error)
  await theirs.remove('x')
  expect(await dismissed).toMatchObject({ code: 'not_found' })
  await Promise.all([ours.close(), theirs.close()])
}, 60_000)

test('a branch is readable by other processes also while its shared data are in the journal', async () => {
  const path = nextPath()
  const ours = createSqliteStore({ path })
  await ours.open('p')
  const visitor = createSqliteStore({ path, shared: true })
  expect(await visitor.info('p')).toMatchObject({ tail: 0 })
  await ours.append({ session: 'p', epoch: 1, tail: 0, lines: numberedLines('p', 0, 9) })
  await ours.fork({ from: 'p', frame: 6, to: 'x', head: 'x' })
  const page = await visitor.read('x', 0, 9)
  expect(page.length).toBe(6)
  expectNumbered('p', 0, page)
  await Promise.all([ours.close(), visitor.close()])
})

test('a branch that another process has removed with its parent is not found, and nothing is damaged', async () => {
  const path = nextPath()
  const ours = createSqliteStore({ path, pollMs: 5 })
  await ours.open('p')
  await ours.fork({ from: 'p', frame: 0, to: 'x', head: 'x' })
  await ours.append({ session: 'x', epoch: 1, tail: 0, lines: numberedLines('x', 0, 3) })
  const visitor = createSqliteStore({ path, shared: true })
  await visitor.remove('p')
  await visitor.remove('x')
  expect(await ours.parts('x', 'lane:0', { after: -1, limit: 9 })).toEqual([])
  expect(await ours.file('x', 'f')).toBe(undefined)
  expect(await ours.fileIds('x')).toEqual([])
  await Promise.all([ours.close(), visitor.close()])
})

test.each([true, false])(
  'a file that a newer version has migrated is not written to (shared: %s)',
  async (shared) => {
    const path = nextPath()
    const store = createSqliteStore({ path, shared, groupMs: 0 })
    await store.open('a')
    const append = (): Promise<unknown> =>
      store.append({ session: 'a', epoch: 1, tail: 0, lines: numberedLines('a', 0, 1) })
    const refusalOf = (work: Promise<unknown>): Promise<unknown> =>
      work.catch((error: unknown) => error)
    const newer = openConnection(path, 1_000)
    newer.exec(`PRAGMA user_version = ${migrations.length + 1}`)
    for (const work of [append(), store.open('b'), store.ping()])
      expect(await refusalOf(work)).toMatchObject({
        code: 'unsupported',
        message: expect.stringMatching(/newer version of Millrace.*Nothing was changed/),
      })
    expect(newer.prepare('SELECT count(*), max(tail) FROM sessions').get()).toEqual([1, 0])
    newer.exec(`PRAGMA user_version = ${migrations.length}`)
    newer.close()
    expect(await append()).toMatchObject({ tail: 1 })
    await store.close()
  },
)

test('a file that is not declared as shared is fenced all the same', async () => {
  const path = nextPath()
  const ours = createSqliteStore({ path, groupMs: 0 })
  const theirs = createSqliteStore({ path, groupMs: 0 })
  for (let tail = 0, epoch = 1; tail < 40; epoch += 2) {
    for (const [index, store] of [ours, theirs].entries()) {
      const info = await store.open('a')
      expect(info).toMatchObject({ tail, epoch: epoch + index })
      const late = {
        session: 'a',
        epoch: info.epoch - 1,
        tail,
        lines: numberedLines('a', tail, tail + 1),
      }
      const other = index === 0 ? theirs : ours
      const refusal: unknown = await other.append(late).catch((error: unknown) => error)
      expect(refusal).toMatchObject({ code: 'lease_lost' })
      const lines = numberedLines('a', tail, tail + 3)
      ;({ tail } = await store.append({ session: 'a', epoch: info.epoch, tail, lines }))
    }
  }
  expect(await readNumbered(ours, 'a')).toBe(await readNumbered(theirs, 'a'))
  await Promise.all([ours.close(), theirs.close()])
})

test('a file that one server uses exclusively is refused to another, until the first closes it', async () => {
  const path = nextPath()
  const ours = createSqliteStore({ path, exclusive: true })
  await ours.open('a')
  expect(() => createSqliteStore({ path, exclusive: true })).toThrow(
    /Another server uses .*shared=1/,
  )
  const visitor = createSqliteStore({ path, shared: true })
  expect(await visitor.info('a')).toMatchObject({ epoch: 1 })
  await Promise.all([ours.close(), visitor.close()])
  const next = createSqliteStore({ path, exclusive: true })
  expect((await next.open('a')).epoch).toBe(2)
  await next.close()
})

for (const shared of [false, true])
  test(`readers are notified of a removal by another process, also if the session begins again (${shared ? 'shared' : 'not shared'})`, async () => {
    const path = nextPath()
    const ours = createSqliteStore({ path, shared, pollMs: 5 })
    const { log } = await ours.open('a')
    await ours.append({ session: 'a', epoch: 1, tail: 0, lines: numberedLines('a', 0, 3) })
    const { signal } = new AbortController()
    const failureOf = (wait: Promise<void>) => wait.catch((error: unknown) => error)
    const first = failureOf(ours.wait('a', 3, signal))
    const theirs = createSqliteStore({ path, shared, pollMs: 5 })
    await theirs.remove('a')
    expect(await first).toMatchObject({ code: 'not_found' })
    expect(await ours.info('a')).toBeUndefined()
    const { log: second } = await ours.open('a')
    const replaced = failureOf(ours.wait('a', 0, signal, second))
    await Promise.all([theirs.remove('a'), theirs.open('a')])
    expect(await replaced).toMatchObject({ code: 'log_replaced' })
    expect(second).not.toBe(log)
    await Promise.all([ours.close(), theirs.close()])
  }, 60_000)
