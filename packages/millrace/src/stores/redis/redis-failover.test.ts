import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import {
  redisMissing,
  startRedisSentinels,
  startReplicatedCluster,
} from '../../../test/support/stores/redis-server.ts'
import { toLines, toTexts } from '../../../test/support/stores/redis-talk.ts'
import { isMillraceError } from '../../errors/index.ts'
import type { Store } from '../port/index.ts'
import { createRedisStore } from './index.ts'
import { decodeSentinels } from './connection/connect.ts'

const kinds = [
  ['Sentinel', startRedisSentinels],
  ['a cluster of three masters', () => startReplicatedCluster(3)],
] as const

/** Waits for the frame after the first. The wait is rejected during a connection failure, and repeated. */
async function waitForNext(store: Store, session: string): Promise<void> {
  const signal = AbortSignal.timeout(60_000)
  for (;;) {
    try {
      return await store.wait(session, 1, signal)
    } catch (error) {
      if (!isMillraceError(error) || error.code !== 'store_unavailable') throw error
      await sleep(50)
    }
  }
}

describe.skipIf(redisMissing !== '')(`a failed master${redisMissing}`, () => {
  test.each(kinds)('is replaced: %s', async (_name, start) => {
    const redis = await start()
    const store = createRedisStore({ url: redis.url, commandTimeoutMs: 30_000 })
    try {
      // Enough names to use slots of every master.
      const names = Array.from({ length: 12 }, (_, n) => `s${n}`)
      const append = (session: string, tail: number, text: string) =>
        store.append({ session, epoch: 1, tail, lines: toLines(text) })
      for (const session of names) {
        await store.open(session)
        await append(session, 0, 'before')
      }
      const waits = names.map((session) => waitForNext(store, session))
      // Avoids an unhandled rejection before it is awaited.
      for (const wait of waits) wait.catch(() => {})
      await redis.failOver()
      for (const session of names)
        expect(await append(session, 1, 'after')).toMatchObject({ tail: 2 })
      await Promise.all(waits)
      for (const session of names)
        expect(toTexts(await store.read(session, 0, 9))).toEqual(['1 before', '2 after'])
      await store.ping()
    } finally {
      await store.close()
      await redis.stop()
    }
  })
})

test.skipIf(redisMissing !== '')(
  `readers on a cluster that are ahead of a new master are notified without a request${redisMissing}`,
  async () => {
    const redis = await startReplicatedCluster(3)
    const store = createRedisStore({ url: redis.url, commandTimeoutMs: 30_000 })
    try {
      const names = Array.from({ length: 12 }, (_, n) => `s${n}`)
      for (const session of names) await store.open(session)
      const tailsOf = () =>
        Promise.all(names.map((one) => redis.admin.hget(`millrace:{${one}}:meta`, 'tail')))
      // It connects with the first command, and then has the addresses of the masters.
      expect(await tailsOf()).toEqual(names.map(() => '0'))
      const received = new Map<string, string>()
      const leaving = new AbortController()
      setMaxListeners(names.length, leaving.signal)
      await redis.failOver(async () => {
        for (const session of names) {
          await store.append({ session, epoch: 1, tail: 0, lines: toLines('one') })
          store.wait(session, 1, leaving.signal).catch((error: unknown) => {
            if (isMillraceError(error)) received.set(session, error.code)
          })
        }
      })
      const tails = await tailsOf()
      const behind = names.filter((_, index) => tails[index] === '0')
      expect(behind.length).toBeGreaterThan(0)
      await expect
        .poll(() => [...received.keys()].toSorted(), { timeout: 30_000 })
        .toEqual(behind.toSorted())
      expect(new Set(received.values())).toEqual(new Set(['log_truncated']))
      leaving.abort()
    } finally {
      await store.close()
      await redis.stop()
    }
  },
)

describe('the address of Redis behind Sentinel', () => {
  test.each([
    [
      'redis+sentinel://a/mill',
      { sentinels: [{ host: 'a', port: 26_379 }], name: 'mill', isEncrypted: false },
    ],
    [
      'rediss+sentinel://u:p%40ss@a:1,[::1]:2/mill/3',
      {
        sentinels: [
          { host: 'a', port: 1 },
          { host: '::1', port: 2 },
        ],
        name: 'mill',
        isEncrypted: true,
        username: 'u',
        password: 'p@ss',
        db: 3,
      },
    ],
    ['redis://a', undefined],
  ])('%s is parsed', (url, address) => expect(decodeSentinels(url)).toEqual(address))

  test.each([
    'redis+sentinel://a',
    'redis+sentinel:///mill',
    'redis+sentinel://u:p@a:x/mill',
    'redis+sentinel://a/mill/x',
  ])('%s is rejected', (url) => {
    expect(() => createRedisStore({ url })).toThrow('redis+sentinel://host:26379')
    expect(() => createRedisStore({ url })).not.toThrow('u:p')
  })
})
