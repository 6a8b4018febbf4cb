import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  poolerMissing,
  type Pooler,
  postgresMissing,
  type PostgresServer,
  startPooler,
  startPostgres,
} from '../../../test/support/stores/postgres-server.ts'
import { failure, follow, rest, toLines, toTexts } from '../../../test/support/stores/redis-talk.ts'
import type { Store } from '../port/index.ts'
import { testStore } from '../../testing/test-store.ts'
import { createPostgresStore } from './index.ts'

const { signal } = new AbortController()

describe.skipIf(postgresMissing !== '')(`two processes on one Postgres${postgresMissing}`, () => {
  let postgres: PostgresServer
  let count = 0
  const session = (): string => `s${++count}`
  beforeAll(async () => {
    postgres = await startPostgres()
  }, 60_000)
  afterAll(() => postgres.stop())

  describe.each([
    ['with notifications', {}],
    ['without notifications', { listen: false, pollMs: 10 }],
  ] as const)('%s', (_, options) => {
    let a: Store
    let b: Store
    beforeAll(() => {
      a = createPostgresStore({ url: postgres.url, ...options })
      b = createPostgresStore({ url: postgres.url, ...options })
    })
    afterAll(async () => {
      await Promise.all([a.close(), b.close()])
    })

    test('a writer that was superseded by the other process is notified and stores nothing', async () => {
      const name = session()
      await a.open(name, { owner: 'a', ms: 60_000 })
      await a.append({ session: name, epoch: 1, tail: 0, lines: toLines('one') })
      expect(await b.open(name, { owner: 'b', ms: 60_000 })).toMatchObject({ epoch: 2, tail: 1 })
      const late = { session: name, epoch: 1, tail: 1, lines: toLines('zombie') }
      expect(await failure(a.append(late))).toBe('lease_lost')
      expect(await failure(a.renew(name, 1, { owner: 'a', ms: 60_000 }))).toBe('lease_lost')
      await b.append({ ...late, epoch: 2, lines: toLines('two') })
      expect(toTexts(await a.read(name, 0, 10))).toEqual(['1 one', '2 two'])
      expect((await a.info(name))?.lease?.owner).toBe('b')
    })

    test('readers of both follow writers of both, through every takeover', async () => {
      const turns = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 9 })), {
        minLength: 1,
        maxLength: 15,
      })
      await fc.assert(
        fc.asyncProperty(turns, async (script) => {
          const name = session()
          const last = script.reduce((sum, [, size]) => sum + size, 0)
          await a.open(name)
          const readers = [a, b, b].map((store) => follow(store, name, last, signal))
          let tail = 0
          for (const [isB, size] of script) {
            const store = isB ? b : a
            const { epoch } = await store.open(name)
            const lines = toLines(...Array.from({ length: size }, (_, n) => `line ${tail + n + 1}`))
            tail = (await store.append({ session: name, epoch, tail, lines })).tail
          }
          const expected = Array.from({ length: last }, (_, n) => `${n + 1} line ${n + 1}`)
          for (const reader of readers) expect(await reader).toEqual(expected)
        }),
        { numRuns: 10 },
      )
    }, 60_000)

    test('of concurrent appends in both with the same tails, one of each is stored', async () => {
      const names = Array.from({ length: 20 }, session)
      for (const name of names) await a.open(name)
      for (let tail = 0; tail < 10; tail++) {
        const race = (store: Store, order: readonly string[]): Promise<string>[] =>
          order.map((name) =>
            failure(store.append({ session: name, epoch: 1, tail, lines: toLines(`at ${tail}`) })),
          )
        const outcomes = await Promise.all([...race(a, names), ...race(b, names.toReversed())])
        expect(outcomes.filter((outcome) => outcome === 'no failure')).toHaveLength(20)
        expect(outcomes.filter((outcome) => outcome === 'conflict')).toHaveLength(20)
      }
    }, 60_000)

    test('a command is consumed by one process or settled by the other, never both', async () => {
      const name = session()
      await a.open(name)
      for (let round = 0; round < 40; round++) {
        const key = `k${round}`
        await b.submit(name, { key, body: 'b' })
        const { inbox = 0 } = (await a.info(name)) ?? {}
        const [isSettled, taken] = await Promise.all([
          b.settle(name, { key, body: 'withdrawn' }),
          failure(
            a.append({
              session: name,
              epoch: 1,
              tail: (await a.info(name))?.tail ?? 0,
              inbox,
              lines: toLines(key),
              commands: [{ key, body: 'taken', isPending: false }],
            }),
          ),
        ])
        expect([isSettled, taken]).toEqual(isSettled ? [true, 'conflict'] : [false, 'no failure'])
        expect((await b.command(name, key))?.body).toBe(isSettled ? 'withdrawn' : 'taken')
      }
    }, 60_000)

    test('readers of a session that the other process removes are ended', async () => {
      const name = session()
      const { log } = await a.open(name)
      const waits = [undefined, log].map((named) => failure(b.wait(name, 0, signal, named)))
      await rest(50)
      await a.remove(name)
      expect(await Promise.all(waits)).toEqual(['not_found', 'not_found'])
      const again = await a.open(name)
      expect(again.generation).toBe(2)
      expect(await failure(b.wait(name, 0, signal, log))).toBe('log_replaced')
      const wait = b.wait(name, 0, signal, again.log)
      await a.append({ session: name, epoch: 1, tail: 0, lines: toLines('one') })
      await wait
    })

    test('claims of both have one holder', async () => {
      const name = session()
      await a.open(name)
      const claims = Array.from({ length: 20 }, (_, n) =>
        (n % 2 === 0 ? a : b).claim(name, 'call', `page ${n}`, 60_000),
      )
      expect(new Set((await Promise.all(claims)).map(({ holder }) => holder)).size).toBe(1)
    })
  })

  describe('notifications', () => {
    test('a command reaches every process once', async () => {
      const stores = [0, 1].map(() => createPostgresStore({ url: postgres.url }))
      const [a, b] = stores
      if (a === undefined || b === undefined) throw new Error('unreachable')
      await Promise.all(stores.map((store) => store.ping()))
      const heard: string[] = []
      stores.forEach((store, index) =>
        store.onCommand((name, command) => heard.push(`${index} ${name} ${command}`)),
      )
      // Both are subscribed once they receive each other's notifications.
      await vi.waitUntil(async () => {
        await a.send('hello', 'of 0')
        await b.send('hello', 'of 1')
        return heard.includes('0 hello of 1') && heard.includes('1 hello of 0')
      })
      // Some of these notifications may come later than the commands.
      const received = () => heard.filter((text) => !text.includes(' hello '))
      await a.send('s', 'stop')
      await b.send('t', 'steer {"ü": 1}')
      await expect.poll(() => received().length, { timeout: 20_000 }).toBe(4)
      await rest(20)
      expect(received().sort()).toEqual([
        '0 s stop',
        '0 t steer {"ü": 1}',
        '1 s stop',
        '1 t steer {"ü": 1}',
      ])
      await Promise.all(stores.map((store) => store.close()))
    })

    test('foreign notifications have no effect', async () => {
      const [a, b] = [0, 1].map(() => createPostgresStore({ url: postgres.url, pollMs: 20 }))
      if (a === undefined || b === undefined) throw new Error('unreachable')
      const name = session()
      await a.open(name)
      const wait = b.wait(name, 0, signal)
      await rest(50)
      const bad = ['', 'x', '{}', '[]', '[1,2,3]', 'null', '["a","tails"]', '["a","tails",1,"b"]']
      for (const message of [...bad, `["a","tails","${name}",0]`, '["a","command",1,2]'])
        await postgres.query(`SELECT pg_notify('millrace millrace.', $1)`, [message])
      // A wrong tail wakes readers, which find no frame and wait again.
      await a.append({ session: name, epoch: 1, tail: 0, lines: toLines('one') })
      await wait
      expect(toTexts(await b.read(name, 0, 10))).toEqual(['1 one'])
      await Promise.all([a.close(), b.close()])
    })

    test('all remote readers of many concurrently written sessions are woken', async () => {
      const [a, b] = [0, 1].map(() => createPostgresStore({ url: postgres.url }))
      if (a === undefined || b === undefined) throw new Error('unreachable')
      const names = Array.from({ length: 300 }, () => `${'long name '.repeat(9)}${session()}`)
      await Promise.all(names.map((name) => a.open(name)))
      const waits = names.map((name) => b.wait(name, 0, new AbortController().signal))
      await rest(100)
      await Promise.all(
        names.map((name) => a.append({ session: name, epoch: 1, tail: 0, lines: toLines('one') })),
      )
      await Promise.all(waits)
      await Promise.all([a.close(), b.close()])
    })
  })
})

describe.skipIf(poolerMissing !== '')(`behind a pooler of transactions${poolerMissing}`, () => {
  let postgres: PostgresServer
  let pooler: Pooler
  let count = 0
  beforeAll(async () => {
    postgres = await startPostgres()
    pooler = await startPooler(postgres.port)
  }, 60_000)
  afterAll(async () => {
    await pooler.stop()
    await postgres.stop()
  })

  describe('the contract of a store', () => {
    testStore({ test, expect }, () =>
      createPostgresStore({
        url: pooler.url,
        listenUrl: postgres.url,
        schema: `pooled_${++count}`,
      }),
    )
  })

  test.each([
    ['with notifications past the pooler', () => ({ listenUrl: postgres.url })],
    ['without notifications', () => ({ listen: false })],
    ['with LISTEN that the pooler swallows', () => ({})],
  ] as const)('readers follow a writer of another process, %s', async (_, options) => {
    const stores = [0, 1].map(() => createPostgresStore({ url: pooler.url, ...options() }))
    const [writer, reader] = stores
    if (writer === undefined || reader === undefined) throw new Error('unreachable')
    const name = `s${++count}`
    await writer.open(name)
    const readers = [0, 1, 2].map(() => follow(reader, name, 50, signal))
    for (let tail = 0; tail < 50; tail++)
      await writer.append({ session: name, epoch: 1, tail, lines: toLines(`line ${tail + 1}`) })
    const expected = Array.from({ length: 50 }, (_, n) => `${n + 1} line ${n + 1}`)
    for (const found of await Promise.all(readers)) expect(found).toEqual(expected)
    await Promise.all(stores.map((store) => store.close()))
  })
})
