import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { startRedisProxy } from '../../../test/support/stores/redis-proxy.ts'
import {
  redisMissing,
  type RedisServer,
  startRedis,
} from '../../../test/support/stores/redis-server.ts'
import {
  codeOf,
  connectionsOf,
  failure,
  follow,
  rest,
  toLines,
  toTexts,
} from '../../../test/support/stores/redis-talk.ts'
import type { Append, Store } from '../port/index.ts'
import { createRedisStore } from './index.ts'

const { signal } = new AbortController()

/** Repeats an append until it is known to be stored. */
async function appendSurely(store: Store, append: Append): Promise<number> {
  for (;;) {
    try {
      return (await store.append(append)).tail
    } catch (error) {
      if (codeOf(error) !== 'store_unavailable') throw error
    }
  }
}

describe.skipIf(redisMissing !== '')(`faults between a process and Redis${redisMissing}`, () => {
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
  afterEach(async () => {
    for (const part of open.splice(0).reverse()) await part.close()
  })

  test('connections killed at any moment cause no duplicates and no gaps', async () => {
    const redis = await redisWith()
    const [writer, reader] = [0, 1].map(() => keep(createRedisStore({ url: redis.url })))
    if (writer === undefined || reader === undefined) throw new Error('unreachable')
    let count = 0
    const kills = fc.array(fc.tuple(fc.integer({ min: 0, max: 30 }), fc.nat({ max: 3 })), {
      maxLength: 8,
    })
    await fc.assert(
      fc.asyncProperty(kills, fc.integer({ min: 1, max: 7 }), async (plan, size) => {
        const session = `s${++count}`
        const { epoch } = await writer.open(session)
        const last = 40 * size
        const readers = [writer, reader].map((store) => follow(store, session, last, signal))
        const killing = (async () => {
          for (const [ms, victim] of plan) {
            await rest(ms)
            const ids = await connectionsOf(redis.admin)
            const id = ids[victim % Math.max(1, ids.length)]
            if (id !== undefined) await redis.admin.client('KILL', 'ID', Number(id))
          }
        })()
        for (let tail = 0; tail < last;) {
          const texts = Array.from({ length: size }, (_, n) => `line ${tail + n + 1}`)
          const append = { session, epoch, tail, lines: toLines(...texts) }
          tail = await appendSurely(writer, append)
          await rest(1)
        }
        await killing
        const expected = Array.from({ length: last }, (_, n) => `${n + 1} line ${n + 1}`)
        expect(toTexts(await writer.read(session, 0, 1_000))).toEqual(expected)
        for (const found of await Promise.all(readers)) expect(found).toEqual(expected)
      }),
      { numRuns: 15 },
    )
  }, 60_000)

  test('a waiting reader whose connection was closed is woken by frames written meanwhile', async () => {
    const redis = await redisWith()
    const proxy = keep(await startRedisProxy(redis.port))
    const writer = keep(createRedisStore({ url: redis.url }))
    const reader = keep(createRedisStore({ url: proxy.url }))
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
  })

  test('an append whose response is lost is stored once, with all its parts', async () => {
    const redis = await redisWith()
    const proxy = keep(await startRedisProxy(redis.port))
    const store = keep(createRedisStore({ url: proxy.url }))
    await store.open('a')
    for (let tail = 0; tail < 20; tail++) {
      if (tail % 2 === 0) proxy.loseAnswerTo(`mark ${tail}`)
      const head = `state ${tail}`
      const lines = toLines(`mark ${tail}`)
      const parts = [{ collection: 'c', number: tail, frame: tail + 1, body: head }]
      const commands = [{ key: head, body: head, isPending: true }]
      const asked = { session: 'a', epoch: 1, tail, lines, head, parts, commands }
      expect(await store.append(asked)).toEqual({ tail: tail + 1, inbox: 0 })
    }
    expect(toTexts(await store.read('a', 0, 50))).toEqual(
      Array.from({ length: 20 }, (_, n) => `${n + 1} mark ${n}`),
    )
    expect(await store.info('a')).toMatchObject({ head: 'state 19', pending: 20 })
    const states = Array.from({ length: 20 }, (_, n) => `state ${n}`)
    const parts = await store.parts('a', 'c', { after: -1, limit: 50 })
    expect(parts.map(({ body }) => body)).toEqual(states)
    expect((await store.pending('a')).map(({ seq, key }) => `${seq} ${key}`)).toEqual(
      states.map((state, n) => `${n + 1} ${state}`),
    )
  })

  test('openings and removals whose responses are lost happen once', async () => {
    const redis = await redisWith()
    const proxy = keep(await startRedisProxy(redis.port))
    const store = keep(createRedisStore({ url: proxy.url }))
    // Redis caches the scripts.
    await store.open('before')
    await store.remove('before')
    proxy.loseAnswerTo('{once}')
    expect((await store.open('once')).epoch).toBe(1)
    await store.append({ session: 'once', epoch: 1, tail: 0, lines: toLines('one') })
    proxy.loseAnswerTo('{once}')
    expect(await store.remove('once')).toBe(true)
    expect(await store.remove('once')).toBe(false)
  })

  test('submissions and settlements whose responses are lost happen once', async () => {
    const redis = await redisWith()
    const proxy = keep(await startRedisProxy(redis.port))
    const store = keep(createRedisStore({ url: proxy.url }))
    // Redis caches the scripts.
    await store.open('a')
    await store.submit('a', { key: 'before', body: '' })
    await store.settle('a', { key: 'before', body: '' })
    proxy.loseAnswerTo('the body')
    const command = { seq: 2, key: 'k', body: 'the body', isPending: true }
    expect(await store.submit('a', { key: 'k', body: 'the body' })).toEqual({
      command,
      isNew: true,
    })
    proxy.loseAnswerTo('the end')
    expect(await store.settle('a', { key: 'k', body: 'the end' })).toBe(true)
    expect(await store.settle('a', { key: 'k', body: 'the end' })).toBe(false)
    expect(await store.info('a')).toMatchObject({ inbox: 4, pending: 0 })
  })

  test('an abandoned append of parts and commands is recognized by its content', async () => {
    const redis = await redisWith()
    const proxy = keep(await startRedisProxy(redis.port))
    const store = keep(createRedisStore({ url: proxy.url, commandTimeoutMs: 300 }))
    const { log } = await store.open('a', { owner: 'n', ms: 60_000 })
    await store.append({ session: 'a', epoch: 1, tail: 0, lines: toLines('one') })
    const part = { collection: 'c', number: 1, frame: 1, body: 'the part' }
    const commands = [{ key: 'k', body: 'b', isPending: true }]
    const bare = { session: 'a', epoch: 1, tail: 1, lines: [] }
    const asked = { ...bare, head: 'h', parts: [part], commands }
    const others: Append[] = [
      { ...asked, head: 'other' },
      { ...asked, parts: [{ ...part, body: 'other' }] },
      { ...asked, commands: [{ key: 'k', body: 'other', isPending: true }] },
      { ...asked, inbox: 0 },
      { ...asked, log },
      { ...asked, lease: 'release' },
    ]
    let writes = 1
    for (const next of [asked, ...others]) {
      proxy.loseAnswerTo('the part', 'refuse')
      expect(await failure(store.append(asked))).toBe('store_unavailable')
      proxy.accept()
      await appendSurely(store, next)
      writes += next === asked ? 1 : 2
      expect(await redis.admin.hget('millrace:{a}:meta', 'writes')).toBe(String(writes))
    }
    expect((await store.info('a'))?.lease).toBe(undefined)
  })

  test('an abandoned append is stored once when its writer repeats it', async () => {
    const redis = await redisWith()
    const proxy = keep(await startRedisProxy(redis.port))
    const store = keep(createRedisStore({ url: proxy.url, commandTimeoutMs: 300 }))
    await store.open('a')
    await store.append({ session: 'a', epoch: 1, tail: 0, lines: toLines('one') })
    const append = { session: 'a', epoch: 1, tail: 1, lines: toLines('two') }
    proxy.loseAnswerTo('two', 'refuse')
    expect(await failure(store.append(append))).toBe('store_unavailable')
    expect(await redis.admin.xlen('millrace:{a}:log')).toBe(2)
    proxy.accept()
    expect(await appendSurely(store, append)).toBe(2)
    expect(await failure(store.append({ ...append, lines: toLines('other') }))).toBe('conflict')
    expect(toTexts(await store.read('a', 0, 10))).toEqual(['1 one', '2 two'])
  })

  test('a frozen Redis times out, and is used again when it resumes', async () => {
    const redis = await redisWith()
    const store = keep(createRedisStore({ url: redis.url, commandTimeoutMs: 200 }))
    await store.open('a')
    const waiting = failure(store.wait('a', 0, signal))
    await rest(50)
    redis.kill('SIGSTOP')
    const append = { session: 'a', epoch: 1, tail: 0, lines: toLines('one') }
    expect(await failure(store.append(append))).toBe('store_unavailable')
    expect(await failure(store.ping())).toBe('store_unavailable')
    expect(await waiting).toBe('store_unavailable')
    redis.kill('SIGCONT')
    expect(await appendSurely(store, append)).toBe(1)
    await store.wait('a', 0, signal)
    expect(toTexts(await store.read('a', 0, 10))).toEqual(['1 one'])
  })

  test('without Redis every call rejects in time, and all calls succeed when it is back', async () => {
    const redis = await redisWith({ appendonly: 'yes', appendfsync: 'always' })
    const store = keep(createRedisStore({ url: redis.url, commandTimeoutMs: 300 }))
    await store.open('a', { owner: 'n', ms: 60_000 })
    await store.append({ session: 'a', epoch: 1, tail: 0, lines: toLines('one') })
    const waiting = failure(store.wait('a', 1, signal))
    await rest(50)
    redis.kill('SIGKILL')
    const calls = {
      open: () => store.open('b'),
      info: () => store.info('a'),
      append: () => store.append({ session: 'a', epoch: 1, tail: 1, lines: [] }),
      read: () => store.read('a', 0, 1),
      wait: () => store.wait('b', 0, signal),
      list: () => store.list({ limit: 1, offset: 0 }),
      renew: () => store.renew('a', 1, { owner: 'n', ms: 1 }),
      leases: () => store.leases(1),
      parts: () => store.parts('a', 'c', { after: 0, limit: 1 }),
      submit: () => store.submit('a', { key: 'k', body: '' }),
      settle: () => store.settle('a', { key: 'k', body: '' }),
      command: () => store.command('a', 'k'),
      pending: () => store.pending('a'),
      unattended: () => store.unattended(1),
      claim: () => store.claim('a', 'call', 'page', 1),
      putFile: () => store.putFile('a', { id: 'f', mediaType: 't', bytes: Uint8Array.of(1) }),
      file: () => store.file('a', 'f'),
      remove: () => store.remove('b'),
      prune: () => store.prune(60_000),
      send: () => store.send('a', 'stop'),
      ping: () => store.ping(),
    }
    const outcomes = await Promise.all(
      Object.entries(calls).map(async ([name, call]) => [name, await failure(call())]),
    )
    expect(outcomes).toEqual(Object.keys(calls).map((name) => [name, 'store_unavailable']))
    expect(await waiting).toBe('store_unavailable')
    await redis.start()
    await expect.poll(() => store.ping().then(() => 'ok', codeOf)).toBe('ok')
    const next = store.wait('a', 1, signal)
    await store.append({ session: 'a', epoch: 1, tail: 1, lines: toLines('two') })
    await next
    expect(toTexts(await store.read('a', 0, 10))).toEqual(['1 one', '2 two'])
  })

  test('a Redis that is too old is rejected with its version', async () => {
    const redis = await startRedis()
    const proxy = await startRedisProxy(redis.port, (reply) => {
      const text = reply.toString('latin1').replaceAll(/redis_version:\d/g, 'redis_version:6')
      return Buffer.from(text, 'latin1')
    })
    const store = createRedisStore({ url: proxy.url })
    const refused: unknown = await store.ping().catch((thrown: unknown) => thrown)
    expect(codeOf(refused)).toBe('unsupported')
    expect(String(refused)).toContain('needs Redis 7 or later; this is 6')
    expect(await failure(store.open('a'))).toBe('unsupported')
    expect(await redis.admin.dbsize()).toBe(0)
    await store.close()
    await proxy.close()
    await redis.stop()
  })

  test('a wrong password, missing rights and full memory have clear messages', async () => {
    const redis = await startRedis({}, { password: 'right' })
    const tell = async (url: string): Promise<string> => {
      const store = createRedisStore({ url, commandTimeoutMs: 500 })
      const error: unknown = await store.open('a').catch((thrown: unknown) => thrown)
      await store.close()
      expect(codeOf(error)).toBe('store_unavailable')
      return String(error)
    }
    const at = `127.0.0.1:${redis.port}`
    expect(await tell(`redis://${at}`)).toContain('requires a password')
    expect(await tell(`redis://:wrong@${at}`)).toContain('refuses the user or the password')
    await redis.admin.call('ACL', 'SETUSER', 'weak', 'on', '>pw', '~*', '&*', '+@read', '+info')
    expect(await tell(`redis://weak:pw@${at}`)).toContain('lacks rights')
    await redis.admin.config('SET', 'maxmemory', '1')
    expect(await tell(redis.url)).toContain('maxmemory')
    await redis.stop()
  })

  test('a store that never reached Redis reports it, and closes', async () => {
    const store = createRedisStore({ url: 'redis://127.0.0.1:1', commandTimeoutMs: 100 })
    expect(await failure(store.open('a'))).toBe('store_unavailable')
    expect(await failure(store.wait('a', 0, signal))).toBe('store_unavailable')
    await store.close()
    expect(await failure(store.ping())).toBe('internal')
  })

  test('[LOG-2] with appendfsync always, kill -9 of Redis causes no loss and no duplicates', async () => {
    const redis = await redisWith({ appendonly: 'yes', appendfsync: 'always' })
    const [writer, reader] = [0, 1].map(() => keep(createRedisStore({ url: redis.url })))
    if (writer === undefined || reader === undefined) throw new Error('unreachable')
    const { epoch } = await writer.open('a')
    const last = 3_000
    const following = follow(reader, 'a', last, signal)
    let tail = 0
    const writing = (async () => {
      while (tail < last) {
        const texts = Array.from({ length: 3 }, (_, n) => `line ${tail + n + 1}`)
        const append = { session: 'a', epoch, tail, lines: toLines(...texts), head: `${tail + 3}` }
        tail = await appendSurely(writer, append)
      }
    })()
    for (let kill = 0; kill < 8; kill++) {
      const before = tail
      while (tail < last && tail < before + 60) await rest(1)
      await redis.crash()
    }
    await writing
    const expected = Array.from({ length: last }, (_, n) => `${n + 1} line ${n + 1}`)
    expect(toTexts(await writer.read('a', 0, last))).toEqual(expected)
    expect(await following).toEqual(expected)
    expect(await writer.info('a')).toMatchObject({ tail: last, epoch, head: '3000' })
  }, 60_000)
})
