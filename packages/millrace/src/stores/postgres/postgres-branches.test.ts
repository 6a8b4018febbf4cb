import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { countRows } from '../../../test/support/stores/postgres-rows.ts'
import {
  postgresMissing,
  type PostgresServer,
  startPostgres,
} from '../../../test/support/stores/postgres-server.ts'
import { startRedisProxy } from '../../../test/support/stores/redis-proxy.ts'
import { runs } from '../../../test/support/runs.ts'
import { codeOf, failure, rest, toLines, toTexts } from '../../../test/support/stores/redis-talk.ts'
import { MAX_ANCESTORS, type Store } from '../port/index.ts'
import { createPostgresStore } from './index.ts'
import type { PostgresStoreOptions } from './postgres-store-options.ts'
import { createNames, withNames } from './names.ts'
import { migrations } from './sql/migrations.ts'

const numbered = (count: number, from = 1): Uint8Array[] =>
  toLines(...Array.from({ length: count }, (_, n) => String(from + n)))

/** Repeats a call until its outcome is known. */
async function surely<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (codeOf(error) !== 'store_unavailable') throw error
    }
  }
}

const fork = (store: Store, from: string, frame: number, to: string) =>
  store.fork({ from, frame, to, head: `head of ${to}` })

/** Reads all frames of a session as texts, in pages. */
async function textsOf(store: Store, session: string, limit = 7): Promise<string[]> {
  const found: string[] = []
  for (;;) {
    const page = await surely(() => store.read(session, found.length, limit))
    found.push(...toTexts(page))
    if (page.length < limit) return found
  }
}

const toExpected = (frames: readonly string[]): string[] =>
  frames.map((text, index) => `${index + 1} ${text}`)

describe.skipIf(postgresMissing !== '')(`branches in Postgres${postgresMissing}`, () => {
  const open: { close(): Promise<void> }[] = []
  const keep = <T extends { close(): Promise<void> }>(part: T): T => {
    open.push(part)
    return part
  }
  let postgres: PostgresServer
  let count = 0
  /** A separate schema for each test. Stores of one test share it. */
  let schema = ''
  const createStore = (options: Partial<PostgresStoreOptions> = {}): Store =>
    keep(createPostgresStore({ url: postgres.url, schema, ...options } as PostgresStoreOptions))
  const rows = () => countRows(postgres, schema)
  beforeAll(async () => {
    postgres = await startPostgres()
  }, 60_000)
  beforeEach(() => {
    schema = `test_${++count}`
  })
  afterEach(async () => {
    for (const part of open.splice(0).reverse()) await part.close()
  })
  afterAll(() => postgres.stop())

  /** Opens a session with frames, parts, files, a command and a claim. */
  const openFull = async (store: Store, session: string): Promise<void> => {
    await store.open(session, { owner: 'n', ms: 60_000 })
    for (let tail = 0; tail < 4; tail++) {
      const bytes = Uint8Array.of(tail)
      await store.putFile(session, { id: `f${tail}`, mediaType: 'text/plain', bytes })
      await store.append({
        session,
        epoch: 1,
        tail,
        lines: numbered(1, tail + 1),
        head: '{}',
        parts: [
          { collection: 'lane:0', number: tail, frame: tail + 1, body: `part ${tail}` },
          { collection: 'own:cells', number: tail, frame: tail + 1, body: 'cell' },
        ],
      })
    }
    await store.submit(session, { key: 'k', body: 'b' })
    await store.claim(session, 'call', 'page', 60_000)
  }

  test('have their own rows and copy nothing', async () => {
    const store = createStore()
    await openFull(store, 'p')
    const before = await rows()
    await fork(store, 'p', 4, 'x')
    expect(await rows()).toEqual({ ...before, logs: 2, heads: 2 })
  })

  test('are rejected at a number that is no frame of the log', async () => {
    const store = createStore()
    await openFull(store, 'p')
    for (const frame of [5, -1, 1.5, NaN, Infinity, 2 ** 70])
      expect(await failure(fork(store, 'p', frame, 'x'))).toBe('conflict')
    expect(await store.info('x')).toBe(undefined)
  })

  test('keep shared data of a removed session, which are removed with the last of them', async () => {
    const store = createStore()
    await openFull(store, 'p')
    await fork(store, 'p', 2, 'x')
    await fork(store, 'p', 1, 'y')
    await store.remove('p')
    const kept = { gone: 1, meta: 1, logs: 3, heads: 2 }
    expect(await rows()).toEqual({ ...kept, frames: 2, parts: 2, files: 3 })
    expect((await store.leases(10)).rows).toEqual([])
    expect((await store.unattended(10)).rows).toEqual([])
    expect(await store.fileIds('y')).toHaveLength(2)
    await store.remove('x')
    const less = { ...kept, gone: 2, logs: 2, heads: 1 }
    expect(await rows()).toEqual({ ...less, frames: 1, parts: 1, files: 2 })
    await store.append({ session: 'y', epoch: 1, tail: 1, lines: numbered(1) })
    await fork(store, 'y', 2, 'z')
    await store.remove('y')
    expect(await textsOf(store, 'z')).toEqual(['1 1', '2 1'])
    await store.prune(0)
    expect(await rows()).toEqual({ gone: 4, meta: 1 })
  })

  test('split an append at a fork point inside it, for any page size', async () => {
    const store = createStore()
    await store.open('p')
    await store.append({ session: 'p', epoch: 1, tail: 0, lines: numbered(300) })
    await fork(store, 'p', 100, 'x')
    await store.append({ session: 'x', epoch: 1, tail: 100, lines: numbered(300, 1_001) })
    await fork(store, 'x', 270, 'y')
    await store.append({ session: 'y', epoch: 1, tail: 270, lines: numbered(30, 2_001) })
    const own = (from: number, length: number) => Array.from({ length }, (_, n) => String(from + n))
    const expected = toExpected([...own(1, 100), ...own(1_001, 170), ...own(2_001, 30)])
    for (const limit of [1, 9, 100, 101, 300, 1_000])
      expect(await textsOf(store, 'y', limit)).toEqual(expected)
    await store.remove('p')
    await store.remove('x')
    expect(await textsOf(store, 'y', 70)).toEqual(expected)
  })

  test('advance the earliest frame of a session by retention, without dropping shared ones', async () => {
    const store = createStore({ maxMessagesPerSession: 20 })
    await store.open('p')
    const append = (tail: number) =>
      store.append({ session: 'p', epoch: 1, tail, lines: numbered(10, tail + 1) })
    await append(0)
    await fork(store, 'p', 5, 'x')
    for (let tail = 10; tail < 50; tail += 10) await append(tail)
    expect((await store.info('p'))?.earliest).toBe(31)
    expect(await failure(store.read('p', 29, 1))).toBe('cursor_trimmed')
    expect(await textsOf(store, 'x')).toEqual(['1 1', '2 2', '3 3', '4 4', '5 5'])
    expect((await rows())['frames']).toBe(5)
    await store.remove('x')
    expect((await rows())['frames']).toBe(2)
    expect(toTexts(await store.read('p', 30, 1))).toEqual(['31 31'])
  })

  test('have a bounded number of ancestors, and read through all of them', async () => {
    const store = createStore()
    await store.open('s0')
    const grow = (session: string, tail: number) =>
      store.append({
        session,
        epoch: 1,
        tail,
        lines: toLines(session),
        parts: [{ collection: 'c', number: tail, frame: tail + 1, body: session }],
      })
    await grow('s0', 0)
    for (let n = 1; n <= MAX_ANCESTORS; n++) {
      await fork(store, `s${n - 1}`, n, `s${n}`)
      await grow(`s${n}`, n)
    }
    const last = `s${MAX_ANCESTORS}`
    expect(await failure(fork(store, last, MAX_ANCESTORS + 1, 'more'))).toBe('overloaded')
    await fork(store, last, MAX_ANCESTORS, 'beside')
    const names = Array.from({ length: MAX_ANCESTORS + 1 }, (_, n) => `s${n}`)
    expect(await textsOf(store, last, 150)).toEqual(toExpected(names))
    const parts = await store.parts(last, 'c', { after: -1, limit: 5_000 })
    expect(parts.map(({ body }) => body)).toEqual(names)
    for (const name of names.slice(0, -1)) await store.remove(name)
    expect(await textsOf(store, last, 150)).toEqual(toExpected(names))
    await store.remove('beside')
    await store.remove(last)
    const { gone: _, ...left } = await rows()
    expect(left).toEqual({ meta: 1 })
  }, 120_000)

  test('lose nothing and never deadlock during concurrent forks, appends and removals of two processes', async () => {
    const received: unknown[] = []
    const options = { onError: (error: unknown) => received.push(error) }
    const stores = [createStore(options), createStore(options)] as const
    await stores[0].ping()
    const act = fc.record({
      kind: fc.constantFrom('fork', 'fork', 'fork twice', 'append', 'append', 'remove'),
      which: fc.nat({ max: 999 }),
      frame: fc.nat({ max: 999 }),
      by: fc.nat({ max: 1 }),
    })
    const plan = fc.array(fc.array(act, { minLength: 1, maxLength: 12 }), { maxLength: 25 })
    let made = 0
    await fc.assert(
      fc.asyncProperty(plan, async (rounds) => {
        const model = new Map<string, string[]>([[`s${++made}`, ['first']]])
        const [root = ''] = model.keys()
        await stores[0].open(root)
        await stores[0].append({ session: root, epoch: 1, tail: 0, lines: toLines('first') })
        for (const round of rounds) {
          const names = [...model.keys()]
          const grown = new Set<string>()
          const before = new Map([...model].map(([name, frames]) => [name, [...frames]]))
          const doing = round.map(async ({ kind, which, frame, by }) => {
            const store = stores[by === 0 ? 0 : 1]
            const name = names[which % names.length] ?? root
            const frames = before.get(name) ?? []
            if (kind === 'remove') {
              // One session remains for the following checks.
              if (name === names[0]) return
              await store.remove(name)
              model.delete(name)
            } else if (kind === 'append') {
              if (grown.has(name)) return
              grown.add(name)
              const text = `${name} ${frames.length}`
              const append = { session: name, epoch: 1, tail: frames.length, lines: toLines(text) }
              const outcome = await failure(store.append(append))
              expect(['no failure', 'not_found']).toContain(outcome)
              if (outcome === 'no failure') model.get(name)?.push(text)
            } else {
              const to = `s${++made}`
              const at = frame % (frames.length + 1)
              const forking = (kind === 'fork' ? [store] : stores).map((one) =>
                fork(one, name, at, to).then(({ log }) => log, codeOf),
              )
              const outcomes = await Promise.all(forking)
              if (outcomes.some((outcome) => outcome !== 'not_found'))
                model.set(to, frames.slice(0, at))
              const logs = outcomes.filter((outcome) => outcome !== 'not_found')
              expect(new Set(logs).size).toBeLessThanOrEqual(1)
            }
          })
          await Promise.all(doing)
        }
        for (const [name, frames] of model)
          expect(await textsOf(stores[1], name)).toEqual(toExpected(frames))
        await Promise.all([...model.keys()].map((name, n) => stores[n % 2 ? 0 : 1].remove(name)))
        const { gone: _, ...left } = await rows()
        expect(left).toEqual({ meta: 1 })
      }),
      { numRuns: runs(12, 1_000) },
    )
    // A deadlock would be among the repeated statements.
    expect(received).toEqual([])
  }, 120_000)

  test('leave nothing after concurrent removals, forks and appends end with all removed', async () => {
    const received: unknown[] = []
    const options = { onError: (error: unknown) => received.push(error) }
    const stores = [createStore(options), createStore(options)] as const
    await stores[0].ping()
    for (let round = 0; round < 25; round++) {
      const names = [`p${round}`, ...Array.from({ length: 8 }, (_, n) => `b${round}.${n}`)]
      const [parent = '', ...branches] = names
      await stores[0].open(parent)
      await stores[0].append({ session: parent, epoch: 1, tail: 0, lines: numbered(3) })
      for (const name of branches) await fork(stores[0], parent, 2, name)
      const late = `late ${round}`
      const forked = failure(fork(stores[0], parent, 3, late))
      const removed = names.map((name, n) => stores[n % 2 ? 0 : 1].remove(name))
      const appended = names.map((session) =>
        failure(stores[1].append({ session, epoch: 1, tail: 2, lines: numbered(1) })),
      )
      await Promise.all([...removed, ...appended])
      if ((await forked) === 'no failure') {
        expect(await textsOf(stores[1], late)).toEqual(['1 1', '2 2', '3 3'])
        await stores[1].remove(late)
      } else expect(await forked).toBe('not_found')
      const { gone: _, ...left } = await rows()
      expect(left).toEqual({ meta: 1 })
    }
    expect(received).toEqual([])
  }, 120_000)

  test('are complete or absent after Postgres is ended during a fork', async () => {
    const stores = [createStore(), createStore()]
    let isForking = true
    const model = new Map<string, readonly string[]>()
    const forking = stores.map(async (store, node) => {
      const root = `root ${node}`
      await surely(() => store.open(root))
      await surely(() =>
        store.append({ session: root, epoch: 1, tail: 0, lines: toLines('a', 'b', 'c') }),
      )
      const names = [root]
      model.set(root, ['a', 'b', 'c'])
      for (let n = 1; isForking; n++) {
        const from = names[(n * 7) % names.length] ?? root
        const frames = model.get(from) ?? []
        const [to, frame, text] = [`${node} ${n}`, (n * 5) % (frames.length + 1), `line ${n}`]
        const parts = [{ collection: 'own:cells', number: 0, frame, body: to }]
        const info = await surely(() => store.fork({ from, frame, to, head: to, parts }))
        expect([info.tail, info.epoch, info.head]).toEqual([frame, 1, to])
        const append = { session: to, epoch: 1, tail: frame, lines: toLines(text) }
        await surely(() => store.append(append))
        model.set(to, [...frames.slice(0, frame), text])
        names.push(to)
        if (names.length < 20) continue
        for (const name of names.splice(1, 2)) {
          await surely(() => store.remove(name))
          model.delete(name)
        }
      }
    })
    for (let round = 0; round < 4; round++) {
      const before = model.size
      await expect.poll(() => model.size > Math.min(before + 5, 30)).toBe(true)
      await rest(100)
      await postgres.crash()
    }
    isForking = false
    await Promise.all(forking)
    const [reader] = stores
    if (reader === undefined) throw new Error('unreachable')
    for (const [name, frames] of model) {
      expect(await textsOf(reader, name)).toEqual(toExpected(frames))
      const cells = await reader.parts(name, 'own:cells', { after: -1, limit: 9 })
      expect(cells.map(({ body }) => body)).toEqual(name.startsWith('root') ? [] : [name])
    }
    const { total } = await reader.list({ limit: 1, offset: 0 })
    expect(total).toBe(model.size)
    for (const name of model.keys()) await reader.remove(name)
    const { gone: _, ...left } = await rows()
    expect(left).toEqual({ meta: 1 })
  }, 120_000)

  test('are forked, trimmed and removed once if the responses are lost', async () => {
    const proxy = keep(await startRedisProxy(postgres.port))
    const url = `postgres://postgres@${new URL(proxy.url).host}/postgres`
    const store = createStore({ url, listen: false })
    await store.open('parent')
    await store.append({ session: 'parent', epoch: 1, tail: 0, lines: numbered(3) })
    proxy.loseAnswerTo('branch-1')
    const info = await fork(store, 'parent', 2, 'branch-1')
    expect(info).toMatchObject({ tail: 2, epoch: 1, generation: 1, parent: { frame: 2 } })
    proxy.loseAnswerTo('branch-1')
    await store.trim('branch-1', 2)
    proxy.loseAnswerTo('parent')
    expect(await store.remove('parent')).toBe(true)
    expect(toTexts(await store.read('branch-1', 1, 9))).toEqual(['2 2'])
    expect((await store.info('branch-1'))?.earliest).toBe(2)
  }, 30_000)

  test.each([1, 2])('are migrated with all data from tables of version %s', async (version) => {
    const names = createNames(schema, '')
    await postgres.query(`CREATE SCHEMA "${schema}"`)
    for (const sql of migrations.slice(0, version)) await postgres.query(withNames(sql, names))
    await postgres.query(`INSERT INTO ${names.meta} VALUES (${version}, gen_random_uuid(), now())`)
    for (const name of ['open', 'prune'])
      await postgres.query(
        `CREATE FUNCTION "${schema}".${name}(int) RETURNS int LANGUAGE sql AS 'SELECT 1'`,
      )
    await postgres.query(
      `INSERT INTO ${names.logs} (session, id, generation, epoch, tail, earliest, inbox, seq, pending, written_at, minute)
       VALUES ('old', 'log', 1, 1, 0, 1, 0, 0, 0, now(), 0)`,
    )
    await postgres.query(`INSERT INTO ${names.files} VALUES (1, 'f', 'text/plain', NULL, 'x')`)
    const store = createStore()
    expect(await store.open('old')).toMatchObject({ log: 'log', epoch: 2, owner: null })
    await store.append({ session: 'old', epoch: 2, tail: 0, lines: numbered(2) })
    await fork(store, 'old', 1, 'new')
    expect(await store.fileIds('new')).toEqual(['f'])
    expect(await textsOf(store, 'new')).toEqual(['1 1'])
    expect(await postgres.query(`SELECT version FROM ${names.meta}`)).toEqual([[migrations.length]])
    const former = await postgres.query(
      `SELECT FROM pg_proc WHERE proname = 'prune' AND pronamespace = $1::regnamespace`,
      [schema],
    )
    expect(former).toEqual([])
  })
})
