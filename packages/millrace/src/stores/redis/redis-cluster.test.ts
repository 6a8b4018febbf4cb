import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCertificate, opensslMissing } from '../../../test/support/network/certificate.ts'
import {
  redisMissing,
  type RedisServer,
  startRedis,
  startRedisMasters,
} from '../../../test/support/stores/redis-server.ts'
import { failure, rest, toLines, toTexts } from '../../../test/support/stores/redis-talk.ts'
import type { Store } from '../port/index.ts'
import { testStore } from '../../testing/test-store.ts'
import { createRedisStore } from './index.ts'

const missing =
  redisMissing === '' && opensslMissing ? ' (left out: no openssl was found)' : redisMissing
const password = 'p@ss/wörd %'

describe.skipIf(missing !== '')(`with a password and encryption${missing}`, () => {
  let folder: string
  let ca: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-tls-'))
    await createCertificate(folder)
    ca = await readFile(join(folder, 'mill.pem'), 'utf8')
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  test('one Redis is reached by its address, and rejects clients without both', async () => {
    const redis = await startRedis({}, { password, certificate: { folder, ca } })
    const refused = [
      { url: redis.url },
      { url: redis.url.replace('rediss', 'redis') },
      { url: `rediss://:wrong@127.0.0.1:${redis.port}`, tls: { ca } },
    ]
    const store = createRedisStore({ url: redis.url, tls: { ca } })
    const others = refused.map((address) => createRedisStore({ ...address, commandTimeoutMs: 500 }))
    try {
      expect(await store.open('a')).toMatchObject({ epoch: 1 })
      for (const other of others) expect(await failure(other.open('a'))).toBe('store_unavailable')
    } finally {
      await Promise.all([store, ...others].map((one) => one.close()))
      await redis.stop()
    }
  })

  test('a store that is closed while it connects throws nothing', async () => {
    const redis = await startRedis({}, { password, certificate: { folder, ca } })
    for (let ms = 0; ms < 20; ms++) {
      const store = createRedisStore({ url: redis.url, tls: { ca } })
      await rest(ms)
      await store.close()
    }
    await redis.stop()
  })

  describe('a cluster of three masters', () => {
    let masters: readonly RedisServer[]
    let count = 0
    const prefix = (): string => `test-${++count}:`
    const storeWith = (own: string): Store =>
      createRedisStore({ url: masters[0]?.url ?? '', cluster: true, tls: { ca }, prefix: own })
    const withStore = async (work: (store: Store, own: string) => Promise<void>): Promise<void> => {
      const own = prefix()
      const store = storeWith(own)
      try {
        await work(store, own)
      } finally {
        await store.close()
      }
    }
    /** Sends a command to the master that has a key. */
    const ask = async (command: string, key: string, ...rest: string[]): Promise<unknown> => {
      for (const { admin } of masters) {
        const outcome = await admin.call(command, key, ...rest).catch((error: Error) => error)
        if (!String(outcome).includes('MOVED')) return outcome
      }
      return undefined
    }
    beforeAll(async () => {
      masters = await startRedisMasters(3, { password, certificate: { folder, ca } })
    })
    afterAll(() => Promise.all(masters.map((master) => master.stop())))

    describe('the contract of a store', () => {
      testStore({ test, expect }, () => storeWith(prefix()))
    })

    test('sessions are spread over all masters, each on one of them', () =>
      withStore(async (store, own) => {
        const names = Array.from({ length: 20 }, (_, n) => `s${n}`)
        for (const session of names) {
          await store.open(session)
          const part = { collection: 'c', number: 1, frame: 1, body: session }
          const commands = [{ key: 'k', body: session, isPending: true }]
          const asked = { session, epoch: 1, tail: 0, lines: toLines(session), parts: [part] }
          await store.append({ ...asked, head: session, commands })
          expect(toTexts(await store.read(session, 0, 9))).toEqual([`1 ${session}`])
        }
        expect((await store.list({ limit: 50, offset: 0 })).total).toBe(20)
        expect((await store.unattended(50)).rows.map(({ session }) => session).sort()).toEqual(
          names.toSorted(),
        )
        const counts = await Promise.all(
          masters.map(async ({ admin }) => {
            const found = await Promise.all(
              ['meta', 'log', 'parts', 'numbers', 'inbox', 'pending'].map((kind) =>
                admin.keys(`${own}{s*}:${kind}`),
              ),
            )
            return found.map(({ length }) => length)
          }),
        )
        for (const [first = 0, ...others] of counts) {
          expect(first).toBeGreaterThan(0)
          expect(others).toEqual(others.map(() => first))
        }
      }))

    test('another process finds the cluster by any of its nodes and ?cluster=true', () =>
      withStore(async (store, own) => {
        await store.open('a')
        const url = `${masters[2]?.url}/?cluster=true`
        const other = createRedisStore({ url, tls: { ca }, prefix: own })
        const wait = other.wait('a', 0, new AbortController().signal)
        await store.append({ session: 'a', epoch: 1, tail: 0, lines: toLines('one') })
        await wait
        await other.close()
      }))

    test('a session is indexed as waiting before it waits, for a failure at any point', () =>
      withStore(async (store, own) => {
        const lease = { owner: 'n', ms: 60_000 }
        await store.open('a', lease)
        await store.open('b', lease)
        await store.submit('b', { key: 'k', body: '' })
        // Makes recording fail.
        await ask('SET', `${own}{all}:waiting`, 'x')
        expect(await failure(store.submit('a', { key: 'k', body: '' }))).toBe('store_unavailable')
        const bare = { session: 'b', epoch: 1, tail: 0, lines: [] }
        const commands = [{ key: 'l', body: '', isPending: true }]
        expect(await failure(store.append({ ...bare, lease: 'release' }))).toBe('store_unavailable')
        expect(await failure(store.append({ ...bare, commands }))).toBe('store_unavailable')
        expect(await failure(store.open('b'))).toBe('store_unavailable')
        expect(await store.info('a')).toMatchObject({ pending: 0 })
        expect(await store.info('b')).toMatchObject({ epoch: 1, pending: 1, lease: { owner: 'n' } })
      }))

    test('a lease whose end is lost in a failover is found, and one that ended is indexed for a minute', () =>
      withStore(async (store, own) => {
        const lapsed = { holder: 'n', lapses: '1' }
        for (const session of ['released', 'reopened', 'ended']) {
          await store.open(session, { owner: 'n', ms: 1 })
          if (session !== 'reopened')
            await store.append({ session, epoch: 1, tail: 0, lines: [], lease: 'release' })
        }
        await store.open('reopened')
        expect((await store.leases(10)).rows).toEqual([])
        // A master that takes over and has missed the end of the lease.
        for (const session of ['released', 'reopened'])
          await ask('HSET', `${own}{${session}}:meta`, ...Object.entries(lapsed).flat())
        const found = (await store.leases(10)).rows
        expect(found.every(({ hasLapsed }) => hasLapsed)).toBe(true)
        expect(found.map(({ session }) => session).toSorted()).toEqual(['released', 'reopened'])
        const held = `${own}{all}:held`
        const ended = Array.from({ length: 250 }, (_, n) => ['1', `ended ${n}`]).flat()
        await ask('ZADD', held, ...ended, '1', 'ended')
        expect((await store.leases(1)).rows).toHaveLength(1)
        expect(await ask('ZCARD', held)).toBe(2)
      }))

    test('a session that is wrongly indexed as waiting is dropped after a minute', () =>
      withStore(async (store, own) => {
        await store.open('a')
        await store.submit('a', { key: 'k', body: '' })
        const old = Array.from({ length: 250 }, (_, n) => ['1', `ghost ${n}`]).flat()
        await ask('ZADD', `${own}{all}:waiting`, ...old)
        await store.submit('a', { key: 'l', body: '' })
        await store.open('b')
        expect((await store.unattended(10)).rows).toMatchObject([{ session: 'a' }])
        const left = await ask('ZRANGE', `${own}{all}:waiting`, '0', '-1')
        expect(left).toEqual(['a', 'b'])
      }))

    test('a session that is wrongly indexed as owned gets no owner, and is dropped after a minute', () =>
      withStore(async (store, own) => {
        const ownedBy = async (owner: string) => {
          const { rows } = await store.list({ limit: 10, offset: 0, owner })
          return rows.map(({ session }) => session)
        }
        await store.open('a', undefined, 0, 'ann')
        await store.open('b', undefined, 0, 'bob')
        const listOfAnn = `${own}{all}:sessions:ann`
        await ask('ZADD', listOfAnn, '1', 'b', '2', 'ghost')
        expect(await ownedBy('ann')).toEqual(['a'])
        expect(await ask('ZRANGE', listOfAnn, '0', '-1')).toEqual(['a'])
        // A refused opening has already recorded its owner.
        expect(await failure(store.open('b', undefined, 0, 'ann'))).toBe('lease_lost')
        expect(await ownedBy('ann')).toEqual(['a'])
        expect(await store.open('b', undefined, 1, 'ann')).toMatchObject({ owner: 'bob' })
        expect(await ask('ZRANGE', listOfAnn, '0', '-1')).toEqual(['a'])
        expect(await ownedBy('bob')).toEqual(['b'])
        // The next write restores the missing list.
        await ask('DEL', listOfAnn)
        await store.append({ session: 'a', epoch: 1, tail: 0, lines: toLines('one') })
        expect(await ownedBy('ann')).toEqual(['a'])
        for (const session of ['a', 'b']) await store.remove(session)
        const left = await Promise.all(masters.map(({ admin }) => admin.keys(`${own}{all}:ses*`)))
        expect(left.flat()).toEqual([])
      }))
  })
})
