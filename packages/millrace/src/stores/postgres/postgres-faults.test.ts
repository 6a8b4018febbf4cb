import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  postgresMissing,
  type PostgresServer,
  startPostgres,
} from '../../../test/support/stores/postgres-server.ts'
import { startRedisProxy } from '../../../test/support/stores/redis-proxy.ts'
import {
  codeOf,
  failure,
  follow,
  rest,
  toLines,
  toTexts,
} from '../../../test/support/stores/redis-talk.ts'
import type { Append, Appended, Store } from '../port/index.ts'
import { createPostgresStore } from './index.ts'
import type { PostgresStoreOptions } from './postgres-store-options.ts'

const { signal } = new AbortController()

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

const appendSurely = (store: Store, append: Append): Promise<Appended> =>
  surely(() => store.append(append))

/** Lists the processes of Postgres that serve stores. */
async function backendsOf(postgres: PostgresServer): Promise<readonly unknown[]> {
  const rows = await postgres.query(
    `SELECT pid FROM pg_stat_activity WHERE application_name = 'millrace' ORDER BY pid`,
  )
  return rows.map(([pid]) => pid)
}

/** Starts a proxy that forwards all bytes. */
async function startProxy(port: number) {
  const proxy = await startRedisProxy(port)
  return { ...proxy, url: `postgres://postgres@${new URL(proxy.url).host}/postgres` }
}

describe.skipIf(postgresMissing !== '')(
  `faults between a process and Postgres${postgresMissing}`,
  () => {
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
      createPostgresStore({ url: postgres.url, schema, ...options } as PostgresStoreOptions)
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

    test('connections ended at any moment cause no duplicates and no gaps', async () => {
      const [writer, reader] = [0, 1].map(() => keep(createStore()))
      if (writer === undefined || reader === undefined) throw new Error('unreachable')
      let made = 0
      const kills = fc.array(fc.tuple(fc.integer({ min: 0, max: 30 }), fc.nat({ max: 9 })), {
        maxLength: 8,
      })
      await fc.assert(
        fc.asyncProperty(kills, fc.integer({ min: 1, max: 7 }), async (plan, size) => {
          const sessions = [0, 1, 2].map(() => `s${++made}`)
          const last = 25 * size
          const killing = (async () => {
            for (const [ms, victim] of plan) {
              await rest(ms)
              const pids = await backendsOf(postgres)
              const pid = pids[victim % Math.max(1, pids.length)]
              if (pid !== undefined) await postgres.query('SELECT pg_terminate_backend($1)', [pid])
            }
          })()
          await Promise.all(
            sessions.map(async (session) => {
              const { epoch } = await surely(() => writer.open(session))
              const readers = [writer, reader].map((store) => follow(store, session, last, signal))
              for (let tail = 0; tail < last;) {
                const texts = Array.from({ length: size }, (_, n) => `line ${tail + n + 1}`)
                const key = `k${tail}`
                const submitted = await surely(() => reader.submit(session, { key, body: key }))
                expect(submitted.command).toMatchObject({ key, body: key })
                const append = {
                  session,
                  epoch,
                  tail,
                  lines: toLines(...texts),
                  commands: [{ key, body: 'done', isPending: false }],
                  parts: [{ collection: 'c', number: tail, frame: tail, body: `part ${tail}` }],
                }
                tail = (await appendSurely(writer, append)).tail
              }
              const expected = Array.from({ length: last }, (_, n) => `${n + 1} line ${n + 1}`)
              for (const found of await Promise.all(readers)) expect(found).toEqual(expected)
            }),
          )
          await killing
          for (const session of sessions) {
            const expected = Array.from({ length: last }, (_, n) => `${n + 1} line ${n + 1}`)
            expect(toTexts(await surely(() => writer.read(session, 0, 1_000)))).toEqual(expected)
            expect(await surely(() => reader.info(session))).toMatchObject({
              pending: 0,
              inbox: 25,
            })
            const parts = await surely(() => reader.parts(session, 'c', { after: -1, limit: 99 }))
            expect(parts).toHaveLength(25)
          }
        }),
        { numRuns: 8 },
      )
    }, 120_000)

    test('a Postgres that is ended and restarted under load causes no loss and no duplicates', async () => {
      const [writer, reader] = [0, 1].map(() => keep(createStore()))
      if (writer === undefined || reader === undefined) throw new Error('unreachable')
      let isLoading = true
      const sessions = Array.from({ length: 8 }, (_, n) => `s${n}`)
      const tails = new Map<string, number>()
      const writing = sessions.map(async (session) => {
        const { epoch } = await surely(() => writer.open(session))
        for (let tail = 0; isLoading;) {
          const lines = toLines(`line ${tail + 1}`, `line ${tail + 2}`)
          tail = (await appendSurely(writer, { session, epoch, tail, lines })).tail
          tails.set(session, tail)
        }
      })
      const ended = new AbortController()
      const reading = sessions.map((session) =>
        surely(() => reader.open(`other ${session}`)).then(() =>
          follow(reader, session, Infinity, ended.signal).catch((error: unknown) => error),
        ),
      )
      for (let round = 0; round < 3; round++) {
        await rest(300)
        await postgres.crash()
      }
      const before = new Map(tails)
      await vi.waitUntil(
        () => sessions.every((name) => (tails.get(name) ?? 0) > (before.get(name) ?? 0)),
        20_000,
      )
      isLoading = false
      await Promise.all(writing)
      for (const session of sessions) {
        const tail = tails.get(session) ?? 0
        const expected = Array.from({ length: tail }, (_, n) => `${n + 1} line ${n + 1}`)
        expect(toTexts(await writer.read(session, 0, tail + 10))).toEqual(expected)
        expect(await follow(reader, session, tail, signal)).toEqual(expected)
      }
      ended.abort(new Error('enough'))
      await Promise.all(reading)
    }, 120_000)

    test('an append whose response is lost is stored once, with all its parts', async () => {
      const proxy = keep(await startProxy(postgres.port))
      const store = keep(createStore({ url: proxy.url, listen: false }))
      await store.open('a')
      for (let tail = 0; tail < 20; tail++) {
        if (tail % 2 === 0) proxy.loseAnswerTo(`mark ${tail}`)
        const lines = toLines(`mark ${tail}`)
        const append = { session: 'a', epoch: 1, tail, lines, head: `state ${tail}` }
        expect((await store.append(append)).tail).toBe(tail + 1)
      }
      expect(toTexts(await store.read('a', 0, 50))).toEqual(
        Array.from({ length: 20 }, (_, n) => `${n + 1} mark ${n}`),
      )
      expect((await store.info('a'))?.head).toBe('state 19')
    }, 30_000)

    test('openings, commands and removals whose responses are lost happen once', async () => {
      const proxy = keep(await startProxy(postgres.port))
      const store = keep(createStore({ url: proxy.url, listen: false }))
      await store.ping()
      proxy.loseAnswerTo('name-1')
      expect((await store.open('name-1')).epoch).toBe(1)
      proxy.loseAnswerTo('name-1')
      expect((await store.open('name-1', undefined, 1)).epoch).toBe(2)
      proxy.loseAnswerTo('key-1')
      const submitted = await store.submit('name-1', { key: 'key-1', body: 'b' })
      expect(submitted).toMatchObject({ isNew: true, command: { seq: 1, isPending: true } })
      proxy.loseAnswerTo('withdrawn')
      expect(await store.settle('name-1', { key: 'key-1', body: 'withdrawn' })).toBe(true)
      expect(await store.info('name-1')).toMatchObject({ inbox: 2, pending: 0 })
      proxy.loseAnswerTo('name-1')
      expect(await store.remove('name-1')).toBe(true)
      expect((await store.open('name-1')).generation).toBe(2)
    }, 30_000)

    test('an append in doubt that is repeated later is recognized', async () => {
      const proxy = keep(await startProxy(postgres.port))
      const options = { url: proxy.url, listen: false, commandTimeoutMs: 1_500 }
      const store = keep(createStore(options))
      await store.open('a')
      proxy.loseAnswerTo('mark', 'refuse')
      const append = { session: 'a', epoch: 1, tail: 0, lines: toLines('mark'), head: '{}' }
      expect(await failure(store.append(append))).toBe('store_unavailable')
      proxy.accept()
      expect((await appendSurely(store, append)).tail).toBe(1)
      expect(await failure(store.append(append))).toBe('conflict')
      expect(toTexts(await store.read('a', 0, 10))).toEqual(['1 mark'])
    }, 30_000)

    test('a Postgres that does not answer fails calls and waiting readers in time, with one report', async () => {
      const proxy = keep(await startProxy(postgres.port))
      const received: string[] = []
      const store = keep(
        createStore({
          url: proxy.url,
          commandTimeoutMs: 1_500,
          pollMs: 50,
          onError: (error) => received.push(codeOf(error)),
          onRestored: () => received.push('restored'),
        }),
      )
      await store.open('a')
      const wait = failure(store.wait('a', 0, signal))
      await rest(50)
      proxy.refuse()
      const append = { session: 'a', epoch: 1, tail: 0, lines: toLines('one') }
      expect(await failure(store.append(append))).toBe('store_unavailable')
      expect(await failure(store.read('a', 0, 1))).toBe('store_unavailable')
      expect(await failure(store.ping())).toBe('store_unavailable')
      expect(await wait).toBe('store_unavailable')
      expect(received).toEqual(['store_unavailable'])
      proxy.accept()
      expect((await appendSurely(store, append)).tail).toBe(1)
      await store.wait('a', 0, signal)
      expect(received).toEqual(['store_unavailable', 'restored'])
    }, 30_000)

    test('a waiting reader whose connection was closed is woken by frames written meanwhile', async () => {
      const proxy = keep(await startProxy(postgres.port))
      const writer = keep(createStore())
      const reader = keep(createStore({ url: proxy.url }))
      await writer.open('a')
      // Only a connected reader can lose its connection.
      await reader.ping()
      for (let tail = 0; tail < 3; tail++) {
        const wait = reader.wait('a', tail, signal)
        await rest(50)
        proxy.refuse()
        await writer.append({ session: 'a', epoch: 1, tail, lines: toLines('line') })
        proxy.accept()
        await wait
      }
    }, 30_000)

    test('a lost notification connection causes delay, no lost frame', async () => {
      const proxy = keep(await startProxy(postgres.port))
      const writer = keep(createStore())
      const reader = keep(createStore({ listenUrl: proxy.url, pollMs: 20 }))
      await writer.open('a')
      const found = follow(reader, 'a', 60, signal)
      for (let tail = 0; tail < 60; tail++) {
        if (tail % 10 === 5) proxy.refuse()
        if (tail % 10 === 9) proxy.accept()
        await writer.append({ session: 'a', epoch: 1, tail, lines: toLines(`line ${tail + 1}`) })
      }
      expect(await found).toEqual(Array.from({ length: 60 }, (_, n) => `${n + 1} line ${n + 1}`))
    }, 30_000)

    test('a store closes during an outage of Postgres, and leaves no connection behind', async () => {
      const store = createStore()
      await store.open('a')
      await store.close()
      await expect.poll(() => backendsOf(postgres)).toEqual([])
      const other = createStore({ commandTimeoutMs: 1_500 })
      await other.open('b')
      await postgres.halt()
      await other.close()
      const never = createStore({ commandTimeoutMs: 1_500 })
      expect(await failure(never.ping())).toBe('store_unavailable')
      await never.close()
      await postgres.start()
    }, 30_000)
  },
)
