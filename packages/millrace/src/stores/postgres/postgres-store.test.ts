import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { countRows } from '../../../test/support/stores/postgres-rows.ts'
import {
  postgresMissing,
  type PostgresServer,
  startPostgres,
} from '../../../test/support/stores/postgres-server.ts'
import { codeOf, failure, toLines, toTexts } from '../../../test/support/stores/redis-talk.ts'
import type { Store } from '../port/index.ts'
import { testStore } from '../../testing/test-store.ts'
import type { PostgresStoreOptions } from './postgres-store-options.ts'
import { startOlderPostgres } from '../../../test/support/stores/older-postgres.ts'
import { createPostgresStore } from './index.ts'
import { loadDriver } from './connection/connect.ts'

const numbered = (count: number, from = 1): Uint8Array[] =>
  toLines(...Array.from({ length: count }, (_, n) => String(from + n)))

describe.skipIf(postgresMissing !== '')(`on one Postgres${postgresMissing}`, () => {
  let postgres: PostgresServer
  let count = 0
  const schema = (): string => `test_${++count}`
  beforeAll(async () => {
    postgres = await startPostgres({ password_encryption: 'scram-sha-256' })
  }, 60_000)
  afterAll(() => postgres.stop())

  describe('the contract of a store', () => {
    testStore({ test, expect }, () => createPostgresStore({ url: postgres.url, schema: schema() }))
  })

  const withStore = async (
    options: Partial<PostgresStoreOptions>,
    work: (store: Store, schema: string) => Promise<void>,
  ): Promise<void> => {
    const own = schema()
    const all = { url: postgres.url, schema: own, ...options } as PostgresStoreOptions
    const store = createPostgresStore(all)
    try {
      await work(store, own)
    } finally {
      await store.close()
    }
  }

  test('the newest frames are kept, trimmed in blocks, and ids continue without gaps', () =>
    withStore({ maxMessagesPerSession: 20 }, async (store) => {
      let run = 0
      const sizes = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 15 })
      await fc.assert(
        fc.asyncProperty(sizes, async (appends) => {
          const session = `s${++run}`
          await store.open(session)
          let tail = 0
          for (const size of appends)
            tail = (
              await store.append({ session, epoch: 1, tail, lines: numbered(size, tail + 1) })
            ).tail
          const { earliest = 0 } = (await store.info(session)) ?? {}
          expect(tail - earliest + 1).toBeGreaterThanOrEqual(Math.min(20, tail))
          expect(tail - earliest + 1).toBeLessThanOrEqual(20 + Math.ceil(20 / 8))
          expect(toTexts(await store.read(session, earliest - 1, 5_000))).toEqual(
            Array.from(
              { length: tail - earliest + 1 },
              (_, n) => `${earliest + n} ${earliest + n}`,
            ),
          )
          if (earliest > 1)
            expect(
              await store.read(session, earliest - 2, 1).catch((error: unknown) => error),
            ).toMatchObject({ code: 'cursor_trimmed', details: { earliest } })
        }),
        { numRuns: 15 },
      )
    }))

  test('pages begin and end within the rows of large appends', () =>
    withStore({}, async (store) => {
      await store.open('a')
      await store.append({ session: 'a', epoch: 1, tail: 0, lines: numbered(1_000) })
      await store.append({ session: 'a', epoch: 1, tail: 1_000, lines: numbered(1_500, 1_001) })
      for (const [after, limit] of [
        [0, 10],
        [250, 12],
        [255, 1],
        [256, 1],
        [999, 2],
        [0, 2_499],
        [0, 10_000],
      ] as const) {
        const page = await store.read('a', after, limit)
        expect(page.map(({ id }) => id)).toEqual(
          Array.from({ length: Math.min(limit, 2_500 - after) }, (_, n) => after + n + 1),
        )
      }
    }))

  test('a file over the limit is rejected', () =>
    withStore({ maxFileBytes: 10 }, async (store) => {
      await store.open('a')
      const file = { id: 'f\u0000', mediaType: 'text/plain', filename: 'a\u0000b' }
      await store.putFile('a', { ...file, bytes: new Uint8Array(10) })
      expect(await store.file('a', 'f\u0000')).toMatchObject(file)
      const large = store.putFile('a', { ...file, bytes: new Uint8Array(11) })
      expect(await failure(large)).toBe('payload_too_large')
    }))

  test('a removed session leaves only its removal note, which expires', () =>
    withStore({}, async (store, own) => {
      await store.open('a', { owner: 'n', ms: 1_000 })
      await store.append({
        session: 'a',
        epoch: 1,
        tail: 0,
        lines: numbered(3),
        head: '{}',
        parts: [{ collection: 'c', number: 1, frame: 1, body: 'b' }],
        commands: [{ key: 'k', body: 'b', isPending: true }],
      })
      await store.claim('a', 'call', 'page', 1_000)
      await store.putFile('a', { id: 'f', mediaType: 'text/plain', bytes: Uint8Array.of(1) })
      await store.remove('a')
      expect(await countRows(postgres, own)).toEqual({ gone: 1, meta: 1 })
      await postgres.query(`UPDATE "${own}".gone SET removed_at = now() - interval '31 days'`)
      expect((await store.open('a')).generation).toBe(1)
      await store.remove('a')
      await postgres.query(`UPDATE "${own}".gone SET removed_at = now() - interval '31 days'`)
      await store.prune(1_000)
      expect(await postgres.query(`SELECT * FROM "${own}".gone`)).toEqual([])
    }))

  test('appends that arrive during another one share a statement', () =>
    withStore({}, async (store, own) => {
      const sessions = Array.from({ length: 300 }, (_, n) => `s${n}`)
      await Promise.all(sessions.map((session) => store.open(session)))
      const append = (tail: number) => (session: string) =>
        store.append({ session, epoch: 1, tail, lines: toLines(`${session} ${tail}`) })
      await Promise.all(sessions.map(append(0)))
      // The last append of each session shares a transaction with that of all others.
      const transactions = await postgres.query(`SELECT DISTINCT xmin::text FROM "${own}".frames`)
      expect(transactions).toHaveLength(1)
      const stored = await Promise.all(sessions.map((session) => store.read(session, 0, 10)))
      expect(stored.map(toTexts)).toEqual(sessions.map((session) => [`1 ${session} 0`]))
    }))

  test('a group is bounded by its bytes', () =>
    withStore({}, async (store, own) => {
      const sessions = Array.from({ length: 6 }, (_, n) => `s${n}`)
      for (const session of sessions) await store.open(session)
      const lines = Array.from({ length: 30 }, () => new Uint8Array(60_000).fill(97))
      const append = (session: string) => store.append({ session, epoch: 1, tail: 0, lines })
      expect((await Promise.all(sessions.map(append))).map(({ tail }) => tail)).toEqual(
        sessions.map(() => 30),
      )
      const transactions = await postgres.query(`SELECT DISTINCT xmin::text FROM "${own}".frames`)
      expect(transactions).toHaveLength(3)
    }))

  test('an append that cannot be stored does not affect others of its group', () =>
    withStore({}, async (store) => {
      const sessions = ['a', 'b', 'c', 'd']
      for (const session of sessions) await store.open(session)
      const outcomes = await Promise.all(
        sessions.map((session) => {
          // A fractional epoch is not a valid value of its column.
          const epoch = session === 'b' ? 1.5 : session === 'c' ? 7 : 1
          return failure(store.append({ session, epoch, tail: 0, lines: toLines('one') }))
        }),
      )
      expect(outcomes).toEqual(['no failure', 'store_unavailable', 'lease_lost', 'no failure'])
      const tails = await Promise.all(sessions.map(async (name) => (await store.info(name))?.tail))
      expect(tails).toEqual([1, 0, 0, 1])
    }))

  test('each command of one append has its number, also if some are already known', () =>
    withStore({}, async (store) => {
      await store.open('a')
      await store.submit('a', { key: 'k\u0000', body: 'one' })
      const commands = ['n1', 'k\u0000', 'n2', 'n1'].map((key, n) => ({
        key,
        body: `body ${n}`,
        isPending: key === 'n2',
      }))
      await store.append({ session: 'a', epoch: 1, tail: 0, lines: [], commands })
      const found = await Promise.all(['k\u0000', 'n1', 'n2'].map((key) => store.command('a', key)))
      expect(
        found.map((command) => `${command?.seq} ${command?.body} ${command?.isPending}`),
      ).toEqual(['1 body 1 false', '2 body 3 false', '3 body 2 true'])
      expect((await store.info('a'))?.pending).toBe(1)
      expect((await store.submit('a', { key: 'next', body: '' })).command.seq).toBe(4)
    }))

  test('names that Postgres cannot store are rejected', () =>
    withStore({}, async (store) => {
      for (const name of ['a\u0000', '\ud800', 'x'.repeat(3_000)])
        expect(await failure(store.open(name))).toBe('bad_request')
      for (const name of ['', 'Mill', 'a"b', 'a-b', '1a', 'pg_mill', 'x'.repeat(64)])
        expect(() => createPostgresStore({ url: postgres.url, schema: name })).toThrow(
          'The schema of',
        )
      for (const name of ['A', 'a.', '1', 'x'.repeat(33)])
        expect(() => createPostgresStore({ url: postgres.url, prefix: name })).toThrow(
          'The prefix of',
        )
      const long = { schema: `s${'x'.repeat(62)}`, prefix: 'p'.repeat(32) }
      await withStore(long, async (other) => void (await other.open('a')))
    }))

  test('stores with two prefixes in one schema have separate tables, numbers and notifications', () =>
    withStore({ prefix: 'a_' }, async (one, own) =>
      withStore({ schema: own, prefix: 'b_' }, async (two) => {
        await one.open('x')
        await one.append({ session: 'x', epoch: 1, tail: 0, lines: numbered(2), head: 'one' })
        expect(await two.info('x')).toBeUndefined()
        expect((await two.list({ limit: 9, offset: 0 })).total).toBe(0)
        const heard: string[] = []
        two.onCommand((session) => heard.push(session))
        await two.open('x')
        const { signal } = new AbortController()
        const waits = two.wait('x', 0, signal)
        await one.send('x', 'wake')
        await two.send('y', 'wake')
        await expect.poll(() => heard).toEqual(['y'])
        await two.append({ session: 'x', epoch: 1, tail: 0, lines: numbered(1, 9) })
        await waits
        expect(toTexts(await two.read('x', 0, 9))).toEqual(['1 9'])
        expect(await two.remove('x')).toBe(true)
        expect(await one.info('x')).toMatchObject({ tail: 2, head: 'one', generation: 1 })
        expect(toTexts(await one.read('x', 0, 9))).toEqual(['1 1', '2 2'])
      }),
    ))

  test('stores that start concurrently create the tables once, and have the same data', async () => {
    for (let round = 0; round < 5; round++) {
      const own = schema()
      const stores = Array.from({ length: 8 }, () =>
        createPostgresStore({ url: postgres.url, schema: own, maxConnections: 1, listen: false }),
      )
      await Promise.all(stores.map((store) => store.ping()))
      await stores[0]?.open('a')
      const epochs = stores.map(async (store) => (await store.info('a'))?.epoch)
      expect(await Promise.all(epochs)).toEqual(stores.map(() => 1))
      await Promise.all(stores.map((store) => store.close()))
      expect(await postgres.query(`SELECT version FROM "${own}".meta`)).toHaveLength(1)
    }
  })

  test('tables of a newer version are rejected, at the start and in service', () =>
    withStore({}, async (store, own) => {
      await store.open('a')
      await postgres.query(`UPDATE "${own}".meta SET version = version + 1`)
      const other = createPostgresStore({ url: postgres.url, schema: own })
      const refused = await other.ping().catch((error: unknown) => error)
      expect(refused).toMatchObject({ code: 'unsupported' })
      expect(String(refused)).toContain('newer version of Millrace')
      await other.close()
      expect(await failure(store.ping())).toBe('unsupported')
      const late = { session: 'a', epoch: 1, tail: 0, lines: toLines('one') }
      expect(await failure(store.append(late))).toBe('unsupported')
      await postgres.query(`UPDATE "${own}".meta SET version = version - 1`)
      await store.ping()
      expect((await store.append(late)).tail).toBe(1)
    }))

  test('a database without tables is unchanged by a store that may not create them', async () => {
    const own = schema()
    const store = createPostgresStore({ url: postgres.url, schema: own, createTables: false })
    const refused: unknown = await store.ping().catch((error: unknown) => error)
    expect(codeOf(refused)).toBe('not_found')
    expect(String(refused)).toContain(`Schema ${own} has no tables of Millrace`)
    await store.close()
    const found = await postgres.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [own])
    expect(found).toEqual([])
    await withStore({ schema: own }, (other) => other.ping())
    await withStore({ schema: own, createTables: false }, (other) => other.ping())
  })

  test('a server that is too old is rejected with its version, and nothing is created', async () => {
    const own = schema()
    const proxy = await startOlderPostgres(postgres.port)
    const store = createPostgresStore({ url: proxy.url, schema: own, listen: false })
    const refused: unknown = await store.ping().catch((error: unknown) => error)
    expect(codeOf(refused)).toBe('unsupported')
    expect(String(refused)).toContain('needs Postgres 13 or later; this is 12')
    await store.close()
    await proxy.close()
    const found = await postgres.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [own])
    expect(found).toEqual([])
  })

  test('failures have a message without the password', async () => {
    await postgres.query(`CREATE ROLE weak LOGIN PASSWORD 'SECRET'`)
    await postgres.query(`CREATE ROLE reader LOGIN`)
    await postgres.query(`ALTER ROLE reader SET default_transaction_read_only = on`)
    const at = (user: string, database = 'postgres'): string =>
      `postgres://${user}@127.0.0.1:${postgres.port}/${database}`
    const tell = async (options: PostgresStoreOptions): Promise<string> => {
      const store = createPostgresStore({ commandTimeoutMs: 300, listen: false, ...options })
      const error = await store.ping().catch((thrown: unknown) => thrown)
      await store.close()
      expect(codeOf(error)).toBe('store_unavailable')
      return String(error)
    }
    expect(await tell({ url: at('weak:SECRET') })).toContain('lacks rights')
    expect(await tell({ url: at('nobody_here') })).toContain('refuses the user')
    expect(await tell({ url: at('postgres', 'none') })).toContain('database does not exist')
    expect(await tell({ url: at('reader') })).toMatch(/accepts no writes|lacks rights/)
    expect(await tell({ url: 'postgres://u:SECRET@127.0.0.1:1/d' })).toContain(
      'No server accepts connections',
    )
    for (const url of ['', 'redis://u:SECRET@h', 'SECRET']) {
      expect(() => createPostgresStore({ url })).toThrow('must be a URL such as postgres://')
      expect(() => createPostgresStore({ url })).not.toThrow('SECRET')
    }
  })

  test('a read-only server fails a ping and rejects appends, until it accepts writes', () =>
    withStore({ commandTimeoutMs: 2_000 }, async (store) => {
      await store.open('a')
      const append = { session: 'a', epoch: 1, tail: 0, lines: toLines('one') }
      const pinged = () =>
        store.ping().then(
          () => 'answered',
          (error: unknown) => String(error),
        )
      const limit = { timeout: 20_000 }
      await postgres.query('ALTER SYSTEM SET default_transaction_read_only = on')
      try {
        await postgres.query('SELECT pg_reload_conf()')
        await vi.waitUntil(async () => (await pinged()).includes('accepts no writes'), limit)
        expect(await failure(store.append(append))).toBe('store_unavailable')
      } finally {
        // The other tests share this server.
        await postgres.query('ALTER SYSTEM RESET default_transaction_read_only')
        await postgres.query('SELECT pg_reload_conf()')
      }
      await vi.waitUntil(async () => (await pinged()) === 'answered', limit)
      expect((await store.append(append)).tail).toBe(1)
    }))

  test('a user that may not create tables works with existing ones', async () => {
    const own = schema()
    await withStore({ schema: own }, (store) => store.ping())
    await postgres.query('CREATE ROLE worker LOGIN')
    await postgres.query(`GRANT USAGE ON SCHEMA "${own}" TO worker`)
    await postgres.query(
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "${own}" TO worker`,
    )
    const url = `postgres://worker@127.0.0.1:${postgres.port}/postgres`
    await withStore({ url, schema: own }, async (store) => {
      await store.ping()
      await store.open('a')
      await store.append({ session: 'a', epoch: 1, tail: 0, lines: toLines('one'), head: '{}' })
      expect(await store.remove('a')).toBe(true)
    })
  })

  test('tables that were dropped or recreated reject writes of a store that used the old ones', () =>
    withStore({}, async (store, own) => {
      await store.open('a')
      await postgres.query(`ALTER SCHEMA "${own}" RENAME TO "${own}_away"`)
      expect(await failure(store.ping())).toBe('store_unavailable')
      const append = { session: 'a', epoch: 1, tail: 0, lines: toLines('one') }
      expect(await failure(store.append(append))).toBe('store_unavailable')
      await withStore({ schema: own }, async (other) => void (await other.open('a')))
      expect(await failure(store.ping())).toBe('store_unavailable')
      expect(await failure(store.append(append))).toBe('store_unavailable')
      expect(await failure(store.submit('a', { key: 'k', body: '' }))).toBe('store_unavailable')
      await postgres.query(`DROP SCHEMA "${own}" CASCADE`)
      await postgres.query(`ALTER SCHEMA "${own}_away" RENAME TO "${own}"`)
      await store.ping()
      expect((await store.append(append)).tail).toBe(1)
    }))

  test('sessions are opened, renewed, read and listed without reading their messages and parts', async () => {
    const own = schema()
    await withStore({ schema: own }, (store) => store.ping())
    await postgres.query('CREATE ROLE blind LOGIN')
    await postgres.query(`GRANT USAGE ON SCHEMA "${own}" TO blind`)
    await postgres.query(
      `GRANT SELECT, INSERT, UPDATE, DELETE ON "${own}".logs, "${own}".heads, "${own}".gone, "${own}".meta TO blind`,
    )
    const url = `postgres://blind@127.0.0.1:${postgres.port}/postgres`
    await withStore({ url, schema: own }, async (store) => {
      const lease = { owner: 'n', ms: 1_000 }
      expect((await store.open('a', lease)).tail).toBe(0)
      expect((await store.info('a'))?.epoch).toBe(1)
      await store.renew('a', 1, lease)
      expect((await store.list({ limit: 10, offset: 0 })).total).toBe(1)
      expect(await failure(store.read('a', 0, 1))).toBe('store_unavailable')
    })
  })
})

test('without its driver the store names the package to install', async () => {
  const load = (): Promise<never> => Promise.reject(new Error('Cannot find package'))
  await expect(loadDriver(load)).rejects.toThrow('npm install pg')
})
