import fc from 'fast-check'
import { copyFileSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  anyBranchCall,
  anyExtras,
  anyInboxWrite,
  anyRead,
  anyText as text,
  toAppend,
} from '../../../test/support/stores/sqlite/any-changes.ts'
import { numberedLines } from '../../../test/support/stores/sqlite/numbered-lines.ts'
import { readNumbered } from '../../../test/support/stores/sqlite/read-numbered.ts'
import { temporaryPaths } from '../../../test/support/stores/sqlite/temporary-store.ts'
import { isMillraceError } from '../../errors/index.ts'
import { createMemoryStore } from '../memory/index.ts'
import type { Store } from '../port/index.ts'
import { testStore } from '../../testing/test-store.ts'
import { openConnection } from './file/connection.ts'
import { createSqliteStore } from './index.ts'

const nextPath = temporaryPaths()

describe('the contract of a store', () => {
  testStore({ test, expect }, () => createSqliteStore({ path: nextPath() }))
})

describe('the contract of a store whose file is shared', () => {
  testStore({ test, expect }, () => createSqliteStore({ path: nextPath(), shared: true }))
})

const codeOf = (error: unknown): string => (isMillraceError(error) ? error.code : String(error))

type Step = (store: Store) => Promise<unknown>

const name = fc.constantFrom('a', 'b', 'c')
const epoch = fc.integer({ min: 1, max: 3 })
const line = fc.oneof(
  { weight: 9, arbitrary: fc.uint8Array({ maxLength: 60 }) },
  { weight: 1, arbitrary: fc.nat(3e5).map((size) => new Uint8Array(size).fill(size % 251)) },
)
const lease = fc.record({ owner: fc.constantFrom('n1', 'n2'), ms: fc.constantFrom(10, 1000) })

/** Mostly appends at the tail. The tail is read, so that all stores get the same calls. */
const append = fc
  .record({
    session: name,
    epoch,
    lines: fc.array(line, { maxLength: 6 }),
    tailOff: fc.constantFrom(0, 0, 0, 0, 1),
    extras: anyExtras,
    lease: fc.option(fc.oneof(lease, fc.constant('release' as const))),
  })
  .map(({ tailOff, extras, lease: held, ...plain }): Step => async (store) => {
    const given = { ...plain, tailOff, ...(held && { lease: held }) }
    return store.append(await toAppend(store, given, extras))
  })

const steps = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: append },
    fc.tuple(name, fc.option(lease)).map(
      ([session, held]): Step =>
        (store) =>
          held ? store.open(session, held) : store.open(session),
    ),
    fc.tuple(name, epoch, lease).map(
      (given): Step =>
        (store) =>
          store.renew(...given),
    ),
    fc.tuple(name, fc.nat(30), fc.integer({ min: 1, max: 30 })).map(
      (given): Step =>
        (store) =>
          store.read(...given),
    ),
    fc.constant<Step>((store) => store.list({ limit: 2, offset: 1 })),
    fc.constant<Step>(async (store) => (await store.leases(2)).rows),
    { weight: 3, arbitrary: anyInboxWrite(name) },
    { weight: 3, arbitrary: anyRead(name) },
    { weight: 5, arbitrary: anyBranchCall(name) },
    fc.tuple(name, fc.uint8Array(), fc.option(text, { nil: undefined })).map(
      ([session, bytes, filename]): Step =>
        (store) =>
          store.putFile(session, {
            id: 'f',
            mediaType: 'image/png',
            bytes,
            ...(filename === undefined ? {} : { filename }),
          }),
    ),
    name.map(
      (session): Step =>
        (store) =>
          store.file(session, 'f'),
    ),
    name.map(
      (session): Step =>
        (store) =>
          store.remove(session),
    ),
    fc.constant<Step>((store) => store.prune(20)),
    fc.constant('reopen' as const),
  ),
  { maxLength: 40 },
)

/** Ignores the class of bytes and the ids of logs, which are random. */
const toPlain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value ?? null, (key, inner: unknown) =>
      inner instanceof Uint8Array
        ? Buffer.from(inner).toString('hex')
        : key === 'log'
          ? typeof inner
          : inner,
    ),
  )

test.each([{ shared: false }, { shared: true }])(
  'behaves like a store in memory, and continues after it was closed: %o',
  async ({ shared }) => {
    const numRuns = process.env['MILLRACE_NIGHTLY'] === '1' ? 1_000 : 25
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        const path = nextPath()
        let clock = 0
        const now = () => clock
        const model = createMemoryStore({ now })
        let store = createSqliteStore({ path, shared, now, groupMs: 0 })
        for (const step of taken) {
          clock += 7
          if (step === 'reopen') {
            await store.close()
            store = createSqliteStore({ path, shared, now, groupMs: 0 })
            continue
          }
          const [expected, actual] = await Promise.all(
            [model, store].map((given) => step(given).catch(codeOf)),
          )
          expect(toPlain(actual)).toEqual(toPlain(expected))
        }
        await store.close()
      }),
      { numRuns },
    )
  },
  300_000,
)

test('the newest frames are kept, at most a block more, and ids continue without gaps', async () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(sizes, fc.integer({ min: 1, max: 50 }), async (appends, kept) => {
      const store = createSqliteStore({
        path: nextPath(),
        maxMessagesPerSession: kept,
        groupMs: 0,
      })
      await store.open('a')
      let tail = 0
      for (const size of appends) {
        const lines = numberedLines('a', tail, tail + size)
        ;({ tail } = await store.append({ session: 'a', epoch: 1, tail, lines }))
      }
      const earliest = (await store.info('a'))?.earliest ?? 0
      expect(earliest).toBeLessThanOrEqual(Math.max(1, tail - kept + 1))
      expect(tail - earliest + 1).toBeLessThan(kept + Math.ceil(kept / 4) + 1)
      expect(await readNumbered(store, 'a', { after: earliest - 1 })).toBe(tail)
      if (earliest > 1) {
        const error: unknown = await store
          .read('a', earliest - 2, 5)
          .catch((thrown: unknown) => thrown)
        expect(error).toMatchObject({ code: 'cursor_trimmed', details: { earliest } })
      }
      await store.close()
    }),
    { numRuns: 20 },
  )
}, 120_000)

test('owners are found in a reopened file, closed or not', async () => {
  for (const isClosed of [true, false]) {
    const path = nextPath()
    const before = createSqliteStore({ path, groupMs: 0, shared: true })
    await before.open('a', undefined, 0, 'ann')
    await before.append({ session: 'a', epoch: 1, tail: 0, lines: [Uint8Array.of(1)] })
    await before.fork({ from: 'a', frame: 1, to: 'b', head: '', owner: 'bob' })
    if (isClosed) await before.close()
    const after = createSqliteStore({ path, groupMs: 0, shared: true })
    for (const [session, owner] of Object.entries({ a: 'ann', b: 'bob' })) {
      expect(await after.info(session)).toMatchObject({ owner })
      const { rows, total } = await after.list({ limit: 10, offset: 0, owner })
      expect([rows.map((row) => row.session), total]).toEqual([[session], 1])
    }
    await after.close()
    await before.close()
  }
})

test('a name that SQLite would treat as another is rejected', async () => {
  const store = createSqliteStore({ path: nextPath() })
  for (const bad of ['a\0b', '\ud800', 'x\udc00']) {
    expect(await store.open(bad).catch(codeOf)).toBe('bad_request')
    expect(await store.info(bad).catch(codeOf)).toBe('bad_request')
  }
  expect((await store.open('🌊 ü')).session).toBe('🌊 ü')
  await store.close()
})

test('the write-ahead log is bounded, and after a close the file has everything', async () => {
  const path = nextPath()
  const store = createSqliteStore({ path, synchronous: 'normal', groupMs: 0 })
  await store.open('a')
  let tail = 0
  let largest = 0
  while (tail < 20_000) {
    const lines = numberedLines('a', tail, tail + 200, 4_000)
    ;({ tail } = await store.append({ session: 'a', epoch: 1, tail, lines }))
    largest = Math.max(largest, statSync(`${path}-wal`).size)
  }
  expect(statSync(path).size).toBeGreaterThan(30_000_000)
  expect(largest).toBeLessThan(16_777_216)
  await store.close()
  expect(statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0)
  const copy = nextPath()
  mkdirSync(dirname(copy))
  copyFileSync(path, copy)
  const again = createSqliteStore({ path: copy })
  expect(await readNumbered(again, 'a', { padding: 4_000 })).toBe(tail)
  await again.close()
}, 60_000)

test('a damaged head, part or command is reported, and others are readable', async () => {
  const path = nextPath()
  const store = createSqliteStore({ path, groupMs: 0 })
  const part = { collection: 'c', number: 1, frame: 0, body: 'whole' }
  for (const session of ['a', 'b']) {
    await store.open(session)
    const changes = { head: 'whole', parts: [part, { ...part, number: 2 }] }
    await store.append({ session, epoch: 1, tail: 0, lines: [], ...changes })
    await store.submit(session, { key: 'k', body: 'whole' })
  }
  const connection = openConnection(path, 1_000)
  const damaged = (table: string, where: string): void =>
    connection.exec(`UPDATE ${table} SET body = CAST('whale' AS BLOB) WHERE ${where}`)
  damaged('heads', 'session = 1')
  damaged('parts', 'session = 1 AND number = 2')
  damaged('inbox', 'session = 1')
  connection.close()
  const range = { after: 0, limit: 1 }
  const reads: Step[] = [
    (given) => given.info('a'),
    (given) => given.open('a'),
    (given) => given.parts('a', 'c', { after: 1, limit: 1 }),
    (given) => given.command('a', 'k'),
    (given) => given.pending('a'),
    (given) => given.settle('a', { key: 'k', body: '' }),
  ]
  for (const read of reads) {
    const error: unknown = await read(store).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining('a checksum does not match its bytes'),
    })
  }
  expect(await store.parts('a', 'c', range)).toEqual([part])
  expect(await store.parts('b', 'c', range)).toEqual([part])
  expect(await store.info('b')).toMatchObject({ head: 'whole', pending: 1 })
  await store.close()
})

test('data of a removed session are removed from the file', async () => {
  const path = nextPath()
  const store = createSqliteStore({ path, groupMs: 0 })
  const part = { collection: 'c', number: 1, frame: 0, body: 'x' }
  for (const session of ['a', 'b']) {
    await store.open(session)
    const lines = numberedLines(session, 0, 3)
    await store.append({ session, epoch: 1, tail: 0, lines, head: '{}', parts: [part] })
    await store.submit(session, { key: 'k', body: '' })
    await store.claim(session, 'call', 'page', 60_000)
    await store.putFile(session, { id: 'f', mediaType: 'text/plain', bytes: Uint8Array.of(1) })
  }
  await store.remove('a')
  await store.close()
  const connection = openConnection(path, 1_000)
  for (const table of ['sessions', 'pages', 'heads', 'parts', 'inbox', 'claims', 'files'])
    expect([table, connection.prepare(`SELECT count(*) FROM ${table}`).get()]).toEqual([table, [1]])
  connection.close()
})
