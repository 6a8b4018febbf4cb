import { readdir, readFile, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { startRedisProxy } from '../../../test/support/stores/redis-proxy.ts'
import {
  redisMissing,
  type RedisServer,
  startRedis,
} from '../../../test/support/stores/redis-server.ts'
import { codeOf, failure, rest, toLines, toTexts } from '../../../test/support/stores/redis-talk.ts'
import type { Append, Appended, Store } from '../port/index.ts'
import { createRedisStore } from './index.ts'

const { signal } = new AbortController()

/** Returns the file to which Redis appends. Everything before is in the base file. */
async function appendedFile(dir: string): Promise<string> {
  const folder = join(dir, 'appendonlydir')
  const name = (await readdir(folder)).find((file) => file.endsWith('.incr.aof')) ?? ''
  return join(folder, name)
}

async function append(store: Store, epoch: number, tail: number, count = 1): Promise<number> {
  const texts = Array.from({ length: count }, (_, n) => `line ${tail + n + 1}`)
  const head = String(tail + count)
  const parts = [{ collection: 'c', number: tail + count, frame: tail + count, body: head }]
  const asked = { session: 'a', epoch, tail, lines: toLines(...texts), head, parts }
  return (await store.append(asked)).tail
}

/** Appends changes other than lines to a session without lines. */
async function change(store: Store, changes: Partial<Append>): Promise<Appended> {
  const { epoch = 0 } = (await store.info('a')) ?? {}
  return store.append({ session: 'a', epoch, tail: 0, lines: [], ...changes })
}

describe.skipIf(redisMissing !== '')(
  `a Redis that returns with less data than before${redisMissing}`,
  () => {
    const open: { close(): Promise<void> }[] = []
    const keep = <T extends { close(): Promise<void> }>(part: T): T => {
      open.push(part)
      return part
    }
    const redisWith = async (settings?: Record<string, string>): Promise<RedisServer> => {
      const redis = await startRedis(settings)
      open.unshift({ close: redis.stop })
      return redis
    }
    const storeAt = (url: string): Store => keep(createRedisStore({ url }))
    afterEach(async () => {
      for (const part of open.splice(0).reverse()) await part.close()
    })

    test('is reported to the writer, its readers and later ones, and no id is assigned twice', async () => {
      const redis = await redisWith()
      const [writer, reader, other] = [0, 1, 2].map(() => storeAt(redis.url))
      if (!writer || !reader || !other) throw new Error('unreachable')
      const { epoch } = await writer.open('a', { owner: 'n', ms: 60_000 })
      await append(writer, epoch, 0, 50)
      await redis.admin.save()
      await append(writer, epoch, 50, 50)
      await reader.read('a', 0, 80)
      const waits = [writer, reader].map((store) => failure(store.wait('a', 100, signal)))
      await redis.crash()

      expect(await failure(append(writer, epoch, 100))).toBe('log_truncated')
      expect(await Promise.all(waits)).toEqual(['log_truncated', 'log_truncated'])
      expect(await failure(reader.read('a', 80, 10))).toBe('log_truncated')
      // The other processes have not read those frames, and are notified of the loss by the first ones.
      expect(await failure(other.open('a'))).toBe('log_truncated')
      expect(await failure(append(other, epoch, 50))).toBe('log_truncated')
      expect(await failure(other.renew('a', epoch, { owner: 'n', ms: 60_000 }))).toBe(
        'log_truncated',
      )
      expect(await failure(other.wait('a', 50, signal))).toBe('log_truncated')
      // The remaining frames can be read, and are the first ones.
      for (const store of [writer, reader, other])
        expect(toTexts(await store.read('a', 0, 100))).toEqual(
          Array.from({ length: 50 }, (_, n) => `${n + 1} line ${n + 1}`),
        )
      expect(await failure(other.read('a', 50, 10))).toBe('log_truncated')
      expect(await other.info('a')).toMatchObject({ tail: 50, head: '50' })
      expect((await other.leases(10)).rows).toEqual([])
      expect(await other.remove('a')).toBe(true)
      expect(await other.open('a')).toMatchObject({ tail: 0 })
    })

    test('allows a completely lost session to begin again, with another log', async () => {
      const redis = await redisWith()
      const [writer, other] = [0, 1].map(() => storeAt(redis.url))
      if (!writer || !other) throw new Error('unreachable')
      const { epoch, log } = await writer.open('a')
      await append(writer, epoch, 0, 5)
      await redis.admin.del('millrace:{a}:meta', 'millrace:{a}:log')
      expect(await failure(append(writer, epoch, 5))).toBe('not_found')
      const again = await other.open('a')
      await append(other, again.epoch, 0, 8)
      const late = { session: 'a', log, epoch, tail: 8, lines: toLines('late') }
      expect(await failure(writer.append(late))).toBe('lease_lost')
      expect(await failure(writer.read('a', 5, 10, log))).toBe('log_replaced')
      expect(await failure(writer.wait('a', 5, signal, log))).toBe('log_replaced')
    })

    test('rejects writes of processes that used it before it was emptied, until its data are restored', async () => {
      const redis = await redisWith()
      const store = storeAt(redis.url)
      const { epoch } = await store.open('a')
      await append(store, epoch, 0, 5)
      await store.ping()
      const id = (await redis.admin.get('millrace:{all}:store')) ?? ''
      await redis.admin.flushall()
      expect(await failure(store.ping())).toBe('store_unavailable')
      expect(await failure(append(store, epoch, 5))).toBe('store_unavailable')
      expect(await failure(store.open('b'))).toBe('store_unavailable')
      await redis.admin.set('millrace:{all}:store', id)
      await store.ping()
      expect(await store.open('b')).toMatchObject({ epoch: 1, tail: 0 })
      await redis.admin.set('millrace:{all}:store', 'another')
      const error: unknown = await store.ping().catch((thrown: unknown) => thrown)
      expect(String(error)).toContain('restart the server')
      const restarted = storeAt(redis.url)
      await restarted.ping()
      expect(await restarted.open('b')).toMatchObject({ epoch: 2 })
    })

    test('is rejected if a newer version has written to it, at the start and in service, and is unchanged', async () => {
      const redis = await redisWith()
      const store = storeAt(redis.url)
      const { epoch } = await store.open('a')
      const id = (await redis.admin.get('millrace:{all}:store')) ?? ''
      await redis.admin.set('millrace:{all}:store', `3 ${id}`)
      expect(await failure(store.ping())).toBe('unsupported')
      expect(await failure(append(store, epoch, 0, 1))).toBe('unsupported')
      const before = await redis.admin.keys('*')
      const older = storeAt(redis.url)
      const refused: unknown = await older.open('b').catch((thrown: unknown) => thrown)
      expect(String(refused)).toContain('newer version of Millrace')
      expect(await failure(older.ping())).toBe('unsupported')
      expect((await redis.admin.keys('*')).toSorted()).toEqual(before.toSorted())
      await redis.admin.set('millrace:{all}:store', id)
      await store.ping()
      await append(store, epoch, 0, 1)
    })

    test('fails the ping if it cannot save to its disk', async () => {
      const redis = await redisWith({
        'enable-protected-configs': 'yes',
        'stop-writes-on-bgsave-error': 'no',
      })
      const store = storeAt(redis.url)
      await store.ping()
      await redis.admin.config('SET', 'dbfilename', 'x'.repeat(300))
      await redis.admin.bgsave()
      await expect.poll(() => failure(store.ping())).toBe('store_unavailable')
      await store.open('a')
    })

    test('is detected by a process after a restart, also without a request', async () => {
      const redis = await redisWith()
      const [writer, other] = [0, 1].map(() => storeAt(redis.url))
      if (!writer || !other) throw new Error('unreachable')
      const { epoch } = await writer.open('a')
      await append(writer, epoch, 0, 5)
      await redis.admin.save()
      await append(writer, epoch, 5, 5)
      await redis.crash()
      await expect.poll(() => redis.admin.hget('millrace:{a}:meta', 'closed')).toBe('10')
      expect(await failure(other.open('a'))).toBe('log_truncated')
    })

    test('is detected with ids assigned twice when a process with the older ones reconnects', async () => {
      const redis = await redisWith()
      const proxy = keep(await startRedisProxy(redis.port))
      const cutOff = storeAt(proxy.url)
      const other = storeAt(redis.url)
      const { epoch } = await cutOff.open('a')
      await append(cutOff, epoch, 0, 5)
      await redis.admin.save()
      await append(cutOff, epoch, 5, 5)
      proxy.refuse()
      await redis.crash()
      const second = await other.open('a')
      expect(second).toMatchObject({ tail: 5 })
      await append(other, second.epoch, 5, 20)
      proxy.accept()
      expect(await failure(cutOff.read('a', 25, 10))).toBe('log_truncated')
      expect(await failure(append(other, second.epoch, 25))).toBe('log_truncated')
    })

    test('is awaited as a replica that takes over, and one that was behind is distinguished from one that was not', async () => {
      const first = await redisWith({ 'repl-diskless-sync-delay': '0' })
      const [second, third] = [await redisWith(), await redisWith()]
      const proxy = keep(await startRedisProxy(first.port))
      const store = storeAt(proxy.url)
      const { epoch } = await store.open('a')
      await append(store, epoch, 0, 5)
      for (const { admin } of [second, third]) {
        await admin.replicaof('127.0.0.1', first.port)
        await expect.poll(() => admin.xlen('millrace:{a}:log'), { timeout: 10_000 }).toBe(5)
      }

      // The replica has all data, but is not promoted yet when the writer connects.
      proxy.redirect(second.port)
      const next = append(store, epoch, 5, 5)
      await rest(100)
      await second.admin.replicaof('NO', 'ONE')
      expect(await next).toBe(10)

      // This replica lacks the last five frames.
      await third.admin.replicaof('NO', 'ONE')
      proxy.redirect(third.port)
      expect(await failure(append(store, epoch, 10))).toBe('log_truncated')
      expect(await store.info('a')).toMatchObject({ tail: 5 })
    })

    test('does not accept the first writer of an epoch that was lost and assigned again', async () => {
      const redis = await redisWith()
      const proxy = keep(await startRedisProxy(redis.port))
      const first = storeAt(proxy.url)
      const second = storeAt(redis.url)
      await second.open('a')
      await append(second, 1, 0, 3)
      await redis.admin.save()
      expect((await first.open('a')).epoch).toBe(2)
      proxy.refuse()
      await redis.crash()
      expect((await second.open('a')).epoch).toBe(2)
      // Redis caches the scripts, so that the stale append is the first command of its process.
      await second.open('b')
      await second.append({ session: 'b', epoch: 1, tail: 0, lines: [] })
      proxy.accept()
      expect(await failure(append(first, 2, 3))).toBe('log_truncated')
    })

    test('has a log that was externally evicted or deleted reported, not restarted in the middle', async () => {
      const redis = await redisWith()
      const store = storeAt(redis.url)
      await store.open('a')
      await append(store, 1, 0, 3)
      await redis.admin.del('millrace:{a}:log')
      expect(await failure(store.read('a', 0, 10))).toBe('log_truncated')
      expect(await failure(append(store, 1, 3))).toBe('log_truncated')
      expect(await failure(store.open('a'))).toBe('log_truncated')
    })

    test.each<[string, (store: Store) => Promise<unknown>]>([
      ['an append without lines', (store) => change(store, { head: 'later' })],
      ['a command', (store) => store.submit('a', { key: 'later', body: '' })],
      ['the end of a command', (store) => store.settle('a', { key: 'k', body: '' })],
    ])('is detected by the lost %s though no frame is missing', async (_, write) => {
      const redis = await redisWith()
      const [first, second] = [0, 1].map(() => storeAt(redis.url))
      if (!first || !second) throw new Error('unreachable')
      await first.open('a', { owner: 'n', ms: 60_000 })
      await first.submit('a', { key: 'k', body: '' })
      await redis.admin.save()
      await write(first)
      await redis.crash()
      const calls = {
        submit: () => first.submit('a', { key: 'next', body: '' }),
        settle: () => second.settle('a', { key: 'k', body: '' }),
        append: () => change(second, { head: 'next' }),
        renew: () => second.renew('a', 1, { owner: 'n', ms: 60_000 }),
        open: () => second.open('a'),
      }
      for (const [name, call] of Object.entries(calls))
        expect([name, await failure(call())]).toEqual([name, 'log_truncated'])
      expect((await second.unattended(10)).rows).toEqual([])
      expect((await second.leases(10)).rows).toEqual([])
      expect(await second.info('a')).toMatchObject({ head: undefined, pending: 1 })
    })

    test('has externally evicted or deleted parts and commands reported', async () => {
      const redis = await redisWith()
      const store = storeAt(redis.url)
      const part = { collection: 'c', number: 1, frame: 0, body: 'b' }
      const commands = [{ key: 'j', body: '', isPending: true }]
      const calls = {
        parts: [
          () => store.parts('a', 'c', { after: 0, limit: 9 }),
          () => change(store, { parts: [part] }),
        ],
        inbox: [
          () => store.command('a', 'k'),
          () => store.pending('a'),
          () => change(store, { commands }),
        ],
        submit: [() => store.submit('a', { key: 'j', body: '' })],
        settle: [() => store.settle('a', { key: 'k', body: '' })],
      }
      const losses = {
        parts: calls.parts,
        numbers: calls.parts,
        inbox: calls.inbox,
        pending: [...calls.inbox.slice(0, 2), ...calls.submit],
        'inbox and settle': calls.settle,
      }
      for (const [lost, asked] of Object.entries(losses)) {
        await store.open('a')
        await change(store, { parts: [part] })
        await store.submit('a', { key: 'k', body: '' })
        await redis.admin.del(`millrace:{a}:${lost.split(' ')[0]}`)
        for (const call of asked) expect(await failure(call())).toBe('log_truncated')
        expect(await failure(store.open('a'))).toBe('log_truncated')
        await store.remove('a')
      }
    })

    test('has complete appends from an append-only file cut anywhere, and the loss is reported', async () => {
      const redis = await redisWith({ appendonly: 'yes', appendfsync: 'no' })
      let count = 0
      const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 12 })
      await fc.assert(
        fc.asyncProperty(
          sizes,
          fc.double({ min: 0, max: 1, noNaN: true }),
          async (appends, cut) => {
            const store = createRedisStore({ url: redis.url, prefix: `cut-${++count}:` })
            const ends = [0]
            try {
              const { epoch } = await store.open('a')
              for (const size of appends)
                ends.push(await append(store, epoch, ends.at(-1) ?? 0, size))
              await redis.crash(async () => {
                const path = await appendedFile(redis.dir)
                const bytes = await readFile(path)
                const start = bytes.indexOf(`cut-${count}:`)
                await truncate(path, Math.round(start + (bytes.length - start) * cut))
              })
              const tail = ends.at(-1) ?? 0
              const outcome = await append(store, epoch, tail).then(() => 'ok', codeOf)
              const { tail: left = 0, head } = (await store.info('a')) ?? {}
              const isGone = (await store.info('a')) === undefined
              const hasIdentity = await redis.admin.exists(`cut-${count}:{all}:store`)
              const loss = isGone ? 'not_found' : 'log_truncated'
              // Either error may come first: a missing session or a replaced store.
              const losses = hasIdentity ? [loss] : [loss, 'store_unavailable']
              expect(left > tail ? ['ok'] : losses).toContain(outcome)
              if (outcome === 'ok') return
              expect(ends).toContain(left)
              expect(head).toBe(left === 0 ? undefined : String(left))
              const parts = await store.parts('a', 'c', { after: 0, limit: 100 })
              expect(parts.map(({ frame }) => frame)).toEqual(
                ends.filter((end) => end > 0 && end <= left),
              )
              const page = await store.read('a', 0, 100).catch(() => [])
              expect(toTexts(page)).toEqual(
                Array.from({ length: left }, (_, n) => `${n + 1} line ${n + 1}`),
              )
            } finally {
              await store.close()
            }
          },
        ),
        { numRuns: 12 },
      )
    }, 60_000)

    test('does not count a removal that a process did not receive as a loss', async () => {
      const redis = await redisWith()
      const proxy = keep(await startRedisProxy(redis.port))
      const cutOff = storeAt(proxy.url)
      const other = storeAt(redis.url)
      const { epoch } = await cutOff.open('a')
      await append(cutOff, epoch, 0, 5)
      proxy.refuse()
      await other.remove('a')
      proxy.accept()
      expect(await failure(append(cutOff, epoch, 5))).toBe('not_found')
      expect(await cutOff.info('a')).toBe(undefined)
      await append(cutOff, (await cutOff.open('a')).epoch, 0, 2)
      proxy.refuse()
      await other.remove('a')
      await append(other, (await other.open('a')).epoch, 0, 1)
      proxy.accept()
      expect(toTexts(await cutOff.read('a', 0, 10))).toEqual(['1 line 1'])
    })
  },
)
