import fc from 'fast-check'
import { Cluster, Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isMillraceError } from '../../errors/index.ts'
import type { Store } from '../port/index.ts'
import { testStore } from '../../testing/test-store.ts'
import {
  redisMissing,
  type RedisServer,
  startRedis,
  startRedisCluster,
} from '../../../test/support/stores/redis-server.ts'
import { createRedisStore } from './index.ts'

const lines = (count: number, from = 1): Uint8Array[] =>
  Array.from({ length: count }, (_, n) => new TextEncoder().encode(String(from + n)))

const codeOf = (error: unknown): string => (isMillraceError(error) ? error.code : String(error))

describe.skipIf(redisMissing !== '')(`on one Redis${redisMissing}`, () => {
  let redis: RedisServer
  let count = 0
  const prefix = (): string => `test-${++count}:`
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis.stop())

  describe('the contract of a store', () => {
    testStore({ test, expect }, () => createRedisStore({ url: redis.url, prefix: prefix() }))
  })

  const withStore = async (
    options: { readonly maxMessagesPerSession?: number; readonly maxFileBytes?: number },
    work: (store: Store, prefix: string) => Promise<void>,
  ): Promise<void> => {
    const own = prefix()
    const store = createRedisStore({ url: redis.url, prefix: own, ...options })
    try {
      await work(store, own)
    } finally {
      await store.close()
    }
  }

  test('the newest frames are kept, trimmed in blocks, and ids continue without gaps', async () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: 1, max: 50 }), (appends, kept) =>
        withStore({ maxMessagesPerSession: kept }, async (store) => {
          await store.open('a')
          let tail = 0
          for (const size of appends) {
            const added = lines(size, tail + 1)
            tail = (await store.append({ session: 'a', epoch: 1, tail, lines: added })).tail
          }
          const { earliest = 0 } = (await store.info('a')) ?? {}
          expect(tail - earliest + 1).toBeGreaterThanOrEqual(Math.min(kept, tail))
          expect(tail - earliest + 1).toBeLessThanOrEqual(kept + Math.ceil(kept / 8))
          const page = await store.read('a', earliest - 1, 5_000)
          expect(page.map(({ id, line }) => [id, new TextDecoder().decode(line)])).toEqual(
            Array.from({ length: tail - earliest + 1 }, (_, n) => [
              earliest + n,
              `${earliest + n}`,
            ]),
          )
          if (earliest > 1)
            expect(
              await store.read('a', earliest - 2, 1).catch((error: unknown) => error),
            ).toMatchObject({ code: 'cursor_trimmed', details: { earliest } })
        }),
      ),
      { numRuns: 15 },
    )
  })

  test('a removed session leaves nothing of its owner', () =>
    withStore({}, async (store, own) => {
      await store.open('a', undefined, 0, 'ann')
      await store.append({ session: 'a', epoch: 1, tail: 0, lines: lines(2) })
      await store.fork({ from: 'a', frame: 1, to: 'b', head: '', owner: 'bob' })
      await store.remove('a')
      expect((await redis.admin.hgetall(`${own}{a}:meta`))['ownedBy']).toBeUndefined()
      await store.remove('b')
      const left = await redis.admin.keys(`${own}*`)
      expect(left.toSorted()).toEqual(
        ['{all}:store', '{a}:gone', '{b}:gone'].map((key) => own + key),
      )
    }))

  test('a page larger than one read of Redis is joined', () =>
    withStore({}, async (store) => {
      await store.open('a')
      await store.append({ session: 'a', epoch: 1, tail: 0, lines: lines(2_500) })
      for (const limit of [999, 1_000, 1_001, 2_000, 2_499, 10_000]) {
        const page = await store.read('a', 0, limit)
        expect(page.map(({ id }) => id)).toEqual(
          Array.from({ length: Math.min(limit, 2_500) }, (_, n) => n + 1),
        )
      }
    }))

  test('a page of commands reads only those from Redis, however many there are', () =>
    withStore({}, async (store) => {
      const { epoch } = await store.open('a')
      const commands = Array.from({ length: 2_000 }, (_, n) => {
        return { key: `k${n + 1}`, body: 'done', isPending: false }
      })
      await store.append({ session: 'a', epoch, tail: 0, lines: [], commands })
      const client = new Redis(redis.url)
      try {
        await client.config('RESETSTAT')
        const page = await store.commands('a', 1_500, 10)
        expect(page.map(({ seq, key }) => `${seq} ${key}`)).toEqual(
          Array.from({ length: 10 }, (_, n) => `${1_501 + n} k${1_501 + n}`),
        )
        expect(await store.commands('a', 1_995, 100)).toHaveLength(5)
        const stats = await client.info('commandstats')
        expect(stats).not.toContain('cmdstat_hgetall')
        const [, reads] = /cmdstat_hmget:calls=(\d+)/.exec(stats) ?? []
        expect(Number(reads)).toBeLessThan(30)
      } finally {
        client.disconnect()
      }
    }))

  test('a file over the limit is rejected', () =>
    withStore({ maxFileBytes: 10 }, async (store) => {
      await store.open('a')
      const file = { id: 'f', mediaType: 'text/plain' }
      await store.putFile('a', { ...file, bytes: new Uint8Array(10) })
      expect(await store.putFile('a', { ...file, bytes: new Uint8Array(11) }).catch(codeOf)).toBe(
        'payload_too_large',
      )
    }))

  test('a removed session leaves only its removal note, which expires', () =>
    withStore({}, async (store, own) => {
      await store.open('a', { owner: 'n', ms: 1_000 })
      const append = { session: 'a', epoch: 1, tail: 0, lines: lines(3) }
      const parts = ['c', 'd'].map((collection) => ({ collection, number: 1, frame: 3, body: 'p' }))
      const commands = [{ key: 'k', body: 'c', isPending: true }]
      await store.append({ ...append, head: 'h', parts, commands })
      await store.submit('a', { key: 'j', body: 'd' })
      await store.claim('a', 'call', 'page', 60_000)
      for (const id of ['x', 'y}:meta', '*'])
        await store.putFile('a', { id, mediaType: 'text/plain', bytes: Uint8Array.of(1) })
      await store.remove('a')
      const left = await redis.admin.keys(`${own}*`)
      expect(left.toSorted()).toEqual([`${own}{all}:store`, `${own}{a}:gone`])
      expect(await redis.admin.pttl(`${own}{a}:gone`)).toBeGreaterThan(0)
    }))

  test('a session of an older version gets the id of its log when it is read', () =>
    withStore({}, async (store, own) => {
      await store.open('a')
      await redis.admin.hdel(`${own}{a}:meta`, 'log', 'generation')
      const { log = '', generation } = (await store.info('a')) ?? {}
      expect({ digits: log.length, generation }).toEqual({ digits: 12, generation: 1 })
      expect(await store.open('a')).toMatchObject({ log, generation: 1 })
    }))

  test('a writer from before a removal does not write into the next session', () =>
    withStore({}, async (store) => {
      const { epoch } = await store.open('a')
      await store.remove('a')
      await store.open('a')
      expect(
        await store.append({ session: 'a', epoch, tail: 0, lines: lines(1) }).catch(codeOf),
      ).toBe('lease_lost')
    }))

  test('names of sessions and files with any characters are kept apart', async () => {
    const name = fc.string({
      unit: fc.constantFrom('a', '{', '}', ':', '%', '7', 'B', 'ü', 'meta'),
      maxLength: 6,
    })
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(name, { minLength: 2, maxLength: 6 }), (names) =>
        withStore({}, async (store) => {
          for (const session of names) {
            await store.open(session)
            await store.append({ session, epoch: 1, tail: 0, lines: [Buffer.from(session)] })
            const bytes = Buffer.from(session)
            for (const id of names)
              await store.putFile(session, { id, mediaType: 'text/plain', bytes })
          }
          for (const session of names) {
            const [entry] = await store.read(session, 0, 2)
            expect(Buffer.from(entry?.line ?? []).toString()).toBe(session)
            for (const id of names)
              expect(Buffer.from((await store.file(session, id))?.bytes ?? []).toString()).toBe(
                session,
              )
          }
        }),
      ),
      { numRuns: 15 },
    )
  })

  test('an invalid address is rejected with an example', () => {
    expect(() => createRedisStore({ url: 'localhost:6379' })).toThrow('redis://127.0.0.1:6379')
  })
})

describe.skipIf(redisMissing !== '')(`on a cluster${redisMissing}`, () => {
  let redis: RedisServer
  let cluster: Cluster
  let count = 0
  beforeAll(async () => {
    redis = await startRedisCluster()
    cluster = new Cluster([{ host: '127.0.0.1', port: redis.port }])
  })
  afterAll(async () => {
    cluster.disconnect()
    await redis.stop()
  })

  describe('the contract of a store', () => {
    testStore({ test, expect }, () =>
      createRedisStore({ client: cluster, prefix: `test-${++count}:` }),
    )
  })

  describe('the contract of a store, all in one slot', () => {
    testStore({ test, expect }, () =>
      createRedisStore({ client: cluster, prefix: `{test-${++count}}:` }),
    )
  })

  test('a lease is indexed before it is granted, and one that was never granted is dropped', async () => {
    const prefix = `test-${++count}:`
    const store = createRedisStore({ client: cluster, prefix })
    try {
      await redis.admin.call('ZADD', `${prefix}{all}:held`, '1', 'ghost')
      await store.open('a', { owner: 'n', ms: 60_000 })
      expect((await store.leases(10)).rows).toEqual([
        { session: 'a', owner: 'n', hasLapsed: false },
      ])
      expect(await redis.admin.call('ZRANGE', `${prefix}{all}:held`, '0', '-1')).toEqual(['a'])
    } finally {
      await store.close()
    }
  })
})
