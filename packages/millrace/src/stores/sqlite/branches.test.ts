import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../test/support/runs.ts'
import { numberedLines } from '../../../test/support/stores/sqlite/numbered-lines.ts'
import { readNumbered } from '../../../test/support/stores/sqlite/read-numbered.ts'
import { temporaryPaths } from '../../../test/support/stores/sqlite/temporary-store.ts'
import { MAX_ANCESTORS, type Part, type Store } from '../port/index.ts'
import { openConnection } from './file/connection.ts'
import { createSqliteStore } from './index.ts'
import { toStore } from './sqlite-store.ts'
import { openParts } from './store-parts.ts'

const nextPath = temporaryPaths()
/** Short enough that 256 lines, the maximum of a page, fit into one. */
const padding = 40
const tables = ['sessions', 'pages', 'heads', 'parts', 'inbox', 'claims', 'files', 'journal']

/** Queries the file of a store on another connection. */
function ask(path: string, sql: string): number {
  const connection = openConnection(path, 1_000)
  const row = connection.prepare(sql).get()
  connection.close()
  return Number(row?.[0])
}

const countRows = (path: string, table: string): number =>
  ask(path, `SELECT count(*) FROM ${table}`)

const toPart = (session: string, number: number): Part => ({
  collection: 'lane:0',
  number,
  frame: number,
  body: `${session} ${number}`,
})

/** Appends numbered lines up to an id, and a part for each. */
async function appendTo(store: Store, session: string, last: number): Promise<void> {
  const { epoch, tail } = await store.open(session)
  const lines = numberedLines(session, tail, last, padding)
  const parts = lines.map((_, index) => toPart(session, tail + index + 1))
  await store.append({ session, epoch, tail, lines, parts })
}

const fork = (store: Store, from: string, frame: number, to: string) =>
  store.fork({ from, frame, to, head: `head of ${to}` })

async function readTexts(store: Store, session: string, after = 0): Promise<string[]> {
  const texts: string[] = []
  for (;;) {
    const page = await store.read(session, after + texts.length, 3)
    texts.push(...page.map(({ line }) => Buffer.from(line).toString()))
    if (page.length < 3) return texts
  }
}

const action = fc.record({
  act: fc.constantFrom('append', 'append', 'append', 'fork', 'fork', 'trim', 'remove', 'reopen'),
  which: fc.nat(1_000),
  place: fc.nat(1_000),
})
const bounds = fc.record({
  maxJournalBytes: fc.constantFrom(1, 200, 100_000),
  shared: fc.boolean(),
})

interface ModelSession {
  readonly frames: string[]
  earliest: number
}

/** Compares all sessions, and the parts of their frames. */
async function compare(store: Store, model: ReadonlyMap<string, ModelSession>): Promise<void> {
  for (const [name, { frames, earliest }] of model) {
    expect(await readTexts(store, name, earliest - 1)).toEqual(frames.slice(earliest - 1))
    const parts = await store.parts(name, 'lane:0', { after: -1, limit: 1_000 })
    expect(parts.map(({ body }) => body)).toEqual(frames)
    expect((await store.fileIds(name)).length).toBe(frames.length)
    expect(await store.info(name)).toMatchObject({ tail: frames.length, earliest })
  }
  expect((await store.list({ limit: 1, offset: 0 })).total).toBe(model.size)
}

async function appendOne(store: Store, session: string, frames: string[]): Promise<void> {
  const [tail, number, body] = [frames.length, frames.length + 1, `${session} ${frames.length}`]
  const { epoch = 0 } = (await store.info(session)) ?? {}
  const parts = [{ ...toPart(session, number), body }]
  await store.append({ session, epoch, tail, lines: [Buffer.from(body)], parts })
  // One file for each frame, stored while that frame was the last.
  const file = { id: `${number}`, mediaType: 'text/plain', bytes: Uint8Array.of(1) }
  await store.putFile(session, file)
  frames.push(body)
}

test('any tree of branches reads as if each session had copied its parent, and leaves nothing in the file when removed', async () => {
  const actions = fc.array(action, { maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(actions, bounds, async (taken, given) => {
      const path = nextPath()
      const open = () => toStore(openParts({ ...given, path, groupMs: 0, synchronous: 'normal' }))
      let store = open()
      await store.open('s0')
      const model = new Map<string, ModelSession>([['s0', { frames: [], earliest: 1 }]])
      for (const [round, { act, which, place }] of taken.entries()) {
        const [name, one] = [...model][which % Math.max(1, model.size)] ?? []
        if (act === 'reopen') {
          await store.close()
          store = open()
        }
        if (name === undefined || one === undefined) continue
        if (act === 'append') await appendOne(store, name, one.frames)
        if (act === 'fork') {
          const frame = Math.max(one.earliest - 1, place % (one.frames.length + 1))
          await fork(store, name, frame, `s${round + 1}`)
          model.set(`s${round + 1}`, { ...one, frames: one.frames.slice(0, frame) })
        }
        if (act === 'trim') {
          one.earliest = Math.max(one.earliest, 1 + (place % (one.frames.length + 1)))
          await store.trim(name, one.earliest)
        }
        if (act === 'remove') model.delete(name)
        if (act === 'remove') expect(await store.remove(name)).toBe(true)
      }
      await compare(store, model)
      await store.close()
      store = open()
      await compare(store, model)
      for (const name of model.keys()) await store.remove(name)
      await store.list({ limit: 1, offset: 0 })
      for (const table of tables) expect([table, countRows(path, table)]).toEqual([table, 0])
      await store.close()
    }),
    { numRuns: runs(25, 1_000) },
  )
}, 600_000)

test('a removed parent keeps only data that its branches share', async () => {
  const path = nextPath()
  const store = createSqliteStore({ path, groupMs: 0 })
  await appendTo(store, 'p', 2_000)
  await store.submit('p', { key: 'k', body: '' })
  await store.claim('p', 'call', 'page', 60_000)
  for (const frame of [10, 700]) await fork(store, 'p', frame, `b${frame}`)
  const all = countRows(path, 'parts')
  await store.remove('p')
  expect([all, countRows(path, 'parts')]).toEqual([2_000, 700])
  expect(countRows(path, 'pages')).toBe(3)
  expect(['inbox', 'claims'].map((table) => countRows(path, table))).toEqual([0, 0])
  await store.remove('b700')
  expect([countRows(path, 'parts'), countRows(path, 'pages')]).toEqual([10, 1])
  expect((await store.leases(9)).rows).toEqual([])
  expect((await store.unattended(9)).rows).toEqual([])
  expect(await store.prune(-1)).toBe(1)
  for (const table of tables) expect([table, countRows(path, table)]).toEqual([table, 0])
  await store.close()
})

test('trimmed frames are removed from the file as soon as no branch shares them', async () => {
  const path = nextPath()
  const store = createSqliteStore({ path, groupMs: 0 })
  await appendTo(store, 'p', 1_000)
  await store.trim('p', 300)
  // The discarded frames of the second page remain with the others.
  expect(countRows(path, 'pages')).toBe(3)
  await fork(store, 'p', 400, 'x')
  await store.trim('p', 1_001)
  expect(countRows(path, 'pages')).toBe(3)
  expect((await readTexts(store, 'x', 299)).length).toBe(101)
  await store.remove('x')
  expect(countRows(path, 'pages')).toBe(0)
  await store.close()
})

test('a session with a frame limit keeps data that its branches share', async () => {
  const path = nextPath()
  const options = { path, groupMs: 0, maxMessagesPerSession: 20 }
  const store = createSqliteStore(options)
  await appendTo(store, 'p', 20)
  await fork(store, 'p', 15, 'x')
  for (let last = 40; last <= 200; last += 20) await appendTo(store, 'p', last)
  expect(await store.info('p')).toMatchObject({ tail: 200, earliest: 181 })
  expect(await readTexts(store, 'x')).toEqual(
    numberedLines('p', 0, 15, padding).map((line) => Buffer.from(line).toString()),
  )
  const before = countRows(path, 'pages')
  await store.remove('x')
  expect(countRows(path, 'pages')).toBeLessThan(before)
  expect(await readNumbered(store, 'p', { after: 180, padding })).toBe(200)
  await store.close()
})

test('a chain of branches is bounded, and reads through all of its ancestors', async () => {
  const store = createSqliteStore({ path: nextPath(), groupMs: 0, synchronous: 'normal' })
  await appendTo(store, '0', 1)
  const writes: Promise<unknown>[] = []
  for (let depth = 1; depth <= MAX_ANCESTORS; depth++) {
    const [session, tail] = [`${depth}`, depth]
    const lines = numberedLines(session, tail, tail + 1, padding)
    const parts = [toPart(session, tail + 1)]
    writes.push(fork(store, `${depth - 1}`, tail, session))
    writes.push(store.append({ session, epoch: 1, tail, lines, parts }))
  }
  await Promise.all(writes)
  const deepest = `${MAX_ANCESTORS}`
  const page = await store.read(deepest, 0, 2_000)
  const expected = page.map((_, index) => numberedLines(`${index}`, index, index + 1, padding)[0])
  expect(page.length).toBe(MAX_ANCESTORS + 1)
  expect(page.map(({ line }) => Buffer.from(line).toString())).toEqual(
    expected.map((line) => Buffer.from(line ?? []).toString()),
  )
  const parts = await store.parts(deepest, 'lane:0', { before: 500, limit: 2 })
  expect(parts.map(({ body }) => body)).toEqual(['498 499', '497 498'])
  const refusal: unknown = await fork(store, deepest, MAX_ANCESTORS + 1, 'x').catch(
    (error: unknown) => error,
  )
  expect(refusal).toMatchObject({ code: 'overloaded' })
  // Its parent holds this frame.
  await fork(store, deepest, MAX_ANCESTORS, 'x')
  await store.close()
}, 120_000)

test('a damaged fork point is reported, and no branch gets the frames of another session', async () => {
  const harms = [
    'parent = 1',
    'parent = 99',
    'fork_frame = 3',
    'fork_sum = 0',
    'fork_sum = NULL',
    "parent_name = CAST('q' AS BLOB)",
  ]
  for (const harm of harms) {
    const path = nextPath()
    const store = createSqliteStore({ path, groupMs: 0 })
    for (const session of ['q', 'p']) await appendTo(store, session, 5)
    await fork(store, 'p', 4, 'x')
    await store.close()
    const connection = openConnection(path, 0)
    connection.exec(`PRAGMA foreign_keys = OFF; UPDATE sessions SET ${harm} WHERE name = 'x'`)
    connection.close()
    const again = createSqliteStore({ path, groupMs: 0 })
    const error: unknown = await again.read('x', 0, 9).catch((thrown: unknown) => thrown)
    expect([harm, error]).toEqual([harm, expect.objectContaining({ code: 'store_unavailable' })])
    expect(await readNumbered(again, 'q', { padding })).toBe(5)
    await again.close()
  }
})

test('logs may get new ids, as after a restored backup', async () => {
  const path = nextPath()
  const store = createSqliteStore({ path, groupMs: 0 })
  await appendTo(store, 'p', 5)
  await fork(store, 'p', 4, 'x')
  await store.close()
  const connection = openConnection(path, 0)
  connection.exec('UPDATE sessions SET log = lower(hex(randomblob(6)))')
  connection.close()
  const again = createSqliteStore({ path, groupMs: 0 })
  const { log } = (await again.info('p')) ?? {}
  expect(await again.info('x')).toMatchObject({ parent: { session: 'p', log, frame: 4 } })
  expect((await again.read('x', 0, 9)).length).toBe(4)
  await again.close()
})
