import fc from 'fast-check'
import { copyFileSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { numberedLines } from '../../test/support/sqlite/numbered-lines.ts'
import { readNumbered } from '../../test/support/sqlite/read-numbered.ts'
import { temporaryPaths } from '../../test/support/sqlite/temporary-store.ts'
import { isMillraceError } from '../errors/index.ts'
import { createMemoryStore, type Store } from '../store/index.ts'
import { testStore } from '../testing/index.ts'
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
const text = fc.string({ unit: 'binary', maxLength: 20 })
const lease = fc.record({ owner: fc.constantFrom('n1', 'n2'), ms: fc.constantFrom(10, 1000) })

/** Appends where the log ends, mostly; the tail is asked for, so that all stores are asked the same. */
const append = fc
  .record({
    session: name,
    epoch,
    lines: fc.array(line, { maxLength: 6 }),
    off: fc.constantFrom(0, 0, 0, 0, 1),
    record: fc.option(fc.record({ json: text, summary: text })),
    conversation: fc.option(fc.record({ number: fc.integer({ min: 1, max: 4 }), json: text })),
    lease: fc.option(fc.oneof(lease, fc.constant('release' as const))),
  })
  .map(({ off, record, conversation, lease, ...plain }): Step => {
    const extras = Object.entries({ record, conversation, lease }).filter(([, value]) => value)
    return async (store) => {
      const tail = ((await store.info(plain.session))?.tail ?? 0) + off
      return store.append({ ...plain, tail, ...Object.fromEntries(extras) })
    }
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
    fc.constant<Step>((store) => store.leases(2)),
    name.map(
      (session): Step =>
        (store) =>
          store.conversations(session, { before: 4, limit: 2 }),
    ),
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

/** Bytes come back as plain arrays would: of which class they are does not matter. */
const toPlain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value ?? null, (_, inner: unknown) =>
      inner instanceof Uint8Array ? Buffer.from(inner).toString('hex') : inner,
    ),
  )

test.each([{ shared: false }, { shared: true }])(
  'does what a store in memory does, and goes on after it was closed: %o',
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

test('the newest messages are kept, a block more at most, and ids go on without holes', async () => {
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
        tail = await store.append({ session: 'a', epoch: 1, tail, lines })
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

test('a name that SQLite would take for another one is refused', async () => {
  const store = createSqliteStore({ path: nextPath() })
  for (const bad of ['a\0b', '\ud800', 'x\udc00']) {
    expect(await store.open(bad).catch(codeOf)).toBe('bad_request')
    expect(await store.info(bad).catch(codeOf)).toBe('bad_request')
  }
  expect((await store.open('🌊 ü')).session).toBe('🌊 ü')
  await store.close()
})

test('the log of SQLite does not grow for ever, and after a close the file has everything', async () => {
  const path = nextPath()
  const store = createSqliteStore({ path, synchronous: 'normal', groupMs: 0 })
  await store.open('a')
  let tail = 0
  let largest = 0
  while (tail < 20_000) {
    const lines = numberedLines('a', tail, tail + 200, 4_000)
    tail = await store.append({ session: 'a', epoch: 1, tail, lines })
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

test('a record is stored whole, however it changes', async () => {
  const message = fc.record({
    role: fc.constantFrom('user', 'assistant'),
    text: fc.string({ maxLength: 3_000 }),
  })
  const records = fc.array(
    fc.record({
      head: fc.nat(),
      messages: fc.array(message, { maxLength: 40 }),
      cut: fc.nat(100_000),
    }),
    { minLength: 1, maxLength: 8 },
  )
  const store = createSqliteStore({ path: nextPath(), groupMs: 0 })
  await store.open('a')
  await fc.assert(
    fc.asyncProperty(records, async (given) => {
      for (const { head, messages, cut } of given) {
        const json = JSON.stringify({ head, messages, tail: 'ü'.repeat(cut) })
        const record = { json, summary: `${head}` }
        await store.append({ session: 'a', epoch: 1, tail: 0, lines: [], record })
        expect((await store.info('a'))?.record).toEqual(record)
      }
    }),
    { numRuns: 10 },
  )
  await store.close()
}, 60_000)
