import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  connectionsOf,
  failure,
  follow,
  rest,
  toLines,
  toTexts,
} from '../../../test/support/stores/redis-talk.ts'
import {
  redisMissing,
  type RedisServer,
  startRedis,
} from '../../../test/support/stores/redis-server.ts'
import type { Store } from '../port/index.ts'
import { createRedisStore } from './index.ts'

describe.skipIf(redisMissing !== '')(`two processes on one Redis${redisMissing}`, () => {
  let redis: RedisServer
  let a: Store
  let b: Store
  let count = 0
  const session = (): string => `s${++count}`
  const { signal } = new AbortController()
  beforeAll(async () => {
    redis = await startRedis()
    a = createRedisStore({ url: redis.url })
    b = createRedisStore({ url: redis.url })
  })
  afterAll(async () => {
    await Promise.all([a.close(), b.close()])
    await redis.stop()
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
      maxLength: 25,
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
      { numRuns: 20 },
    )
  })

  test('of concurrent appends in both with the same tail, one is stored', async () => {
    const name = session()
    await a.open(name)
    const racers = Array.from({ length: 40 }, (_, n) => {
      const store = n % 2 === 0 ? a : b
      return failure(
        store.append({ session: name, epoch: 1, tail: 0, lines: toLines(`racer ${n}`) }),
      )
    })
    const outcomes = await Promise.all(racers)
    expect(outcomes.filter((outcome) => outcome === 'no failure')).toHaveLength(1)
    expect(outcomes.filter((outcome) => outcome === 'conflict')).toHaveLength(39)
  })

  test('a command reaches every process once', async () => {
    const heard: string[] = []
    const stops = [a, b].map((store, index) =>
      store.onCommand((name, command) => heard.push(`${index} ${name} ${command}`)),
    )
    await a.send('s', 'stop')
    await b.send('t', 'steer {"ü": 1}')
    await expect.poll(() => heard.length).toBe(4)
    await rest(20)
    expect(heard.sort()).toEqual([
      '0 s stop',
      '0 t steer {"ü": 1}',
      '1 s stop',
      '1 t steer {"ü": 1}',
    ])
    for (const stop of stops) stop()
  })

  test('foreign messages on these channels have no effect', async () => {
    const name = session()
    await a.open(name)
    const heard: string[] = []
    const stop = b.onCommand((...command) => heard.push(command.join(' ')))
    const wait = b.wait(name, 0, signal)
    await rest(50)
    for (const message of ['', 'x', '{}', '[]', '[1,2,3]', 'null', '["a","b"]', 'NaN', '1e999'])
      for (const channel of ['{all}:commands', `{${name}}:tail`])
        await redis.admin.publish(`millrace:${channel}`, message)
    await a.append({ session: name, epoch: 1, tail: 0, lines: toLines('one') })
    await wait
    let isWoken = false
    const next = b.wait(name, 1, signal).then(() => (isWoken = true))
    await rest(20)
    expect(isWoken).toBe(false)
    await a.append({ session: name, epoch: 1, tail: 1, lines: toLines('two') })
    await next
    await a.send(name, 'stop')
    await expect.poll(() => heard).toEqual([`${name} stop`])
    stop()
  })

  test('a channel is unsubscribed after a while without waiting readers', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
    const store = createRedisStore({ url: redis.url })
    try {
      const name = session()
      const subscribers = () => redis.admin.call('PUBSUB', 'NUMSUB', `millrace:{${name}}:tail`)
      await store.open(name)
      const pause = new AbortController()
      const wait = failure(store.wait(name, 0, pause.signal))
      await expect.poll(subscribers).toEqual([`millrace:{${name}}:tail`, 1])
      vi.advanceTimersByTime(60_000)
      expect(await subscribers()).toEqual([`millrace:{${name}}:tail`, 1])
      pause.abort(new Error('enough'))
      await wait
      // The channel may have been subscribed shortly before it counted as open.
      const later = () => {
        vi.advanceTimersByTime(60_000)
        return subscribers()
      }
      await expect.poll(later).toEqual([`millrace:{${name}}:tail`, 0])
      const next = store.wait(name, 0, signal)
      await a.append({ session: name, epoch: 1, tail: 0, lines: toLines('one') })
      await next
    } finally {
      vi.useRealTimers()
      await store.close()
    }
  })

  test('a removal ends the readers of both, and the session may begin again', async () => {
    const name = session()
    await a.open(name)
    await b.append({ session: name, epoch: 1, tail: 0, lines: toLines('one') })
    const waits = [a, b].map((store) => failure(store.wait(name, 1, signal)))
    await rest(50)
    expect(await b.remove(name)).toBe(true)
    expect(await Promise.all(waits)).toEqual(['not_found', 'not_found'])
    expect(await failure(a.read(name, 0, 10))).toBe('not_found')
    expect(await failure(a.append({ session: name, epoch: 1, tail: 1, lines: [] }))).toBe(
      'not_found',
    )
    expect(await a.open(name)).toMatchObject({ tail: 0, epoch: 2 })
  })

  test('leases lapse by the clock of Redis, for any clocks of the processes', async () => {
    const name = session()
    await a.open(name, { owner: 'a', ms: 60_000 })
    expect((await b.info(name))?.lease).toEqual({ owner: 'a', hasLapsed: false })
    await a.renew(name, 1, { owner: 'a', ms: 1 })
    await expect
      .poll(() => b.info(name).then((info) => info?.lease))
      .toEqual({ owner: 'a', hasLapsed: true })
    expect((await b.leases(100)).rows).toContainEqual({
      session: name,
      owner: 'a',
      hasLapsed: true,
    })
    await a.append({ session: name, epoch: 1, tail: 0, lines: [], lease: 'release' })
  })

  test('a thousand waiting readers share one connection, and a process has two in total', async () => {
    const names = Array.from({ length: 50 }, session)
    await Promise.all(names.map((name) => a.open(name)))
    let woken = 0
    const waits = Array.from({ length: 1_000 }, (_, n) =>
      b.wait(names[n % 50] ?? '', 0, signal).then(() => woken++),
    )
    await rest(100)
    expect(await connectionsOf(redis.admin)).toHaveLength(4)
    expect(woken).toBe(0)
    for (const name of names)
      await a.append({ session: name, epoch: 1, tail: 0, lines: toLines('one') })
    await Promise.all(waits)
    expect(woken).toBe(1_000)
  })

  test('a channel is unsubscribed while its process appends without waiting readers, and subscribed again for the next one', async () => {
    const name = session()
    await a.open(name)
    const append = async (tail: number) => {
      await a.append({ session: name, epoch: 1, tail, lines: toLines(`line ${tail + 1}`) })
    }
    const heard = (): Promise<unknown> => redis.admin.pubsub('CHANNELS', `*{${name}}*`)
    const first = a.wait(name, 0, signal)
    await append(0)
    await first
    expect(await heard()).toHaveLength(1)
    for (let tail = 1; tail < 20; tail++) await append(tail)
    await expect.poll(heard).toHaveLength(0)
    const { epoch } = await b.open(name)
    const next = a.wait(name, 20, signal)
    await expect.poll(heard).toHaveLength(1)
    await b.append({ session: name, epoch, tail: 20, lines: toLines('line 21') })
    await next
    expect(toTexts(await a.read(name, 20, 10))).toEqual(['21 line 21'])
  })

  test('a thousand readers of one session send as many requests to Redis as one', async () => {
    const name = session()
    await a.open(name)
    const readers = Array.from({ length: 1_000 }, () => follow(b, name, 5, signal))
    await rest(100)
    await redis.admin.config('RESETSTAT')
    for (let tail = 0; tail < 5; tail++) {
      await a.append({ session: name, epoch: 1, tail, lines: toLines(`line ${tail + 1}`) })
      await rest(50)
    }
    const expected = Array.from({ length: 5 }, (_, n) => `${n + 1} line ${n + 1}`)
    for (const reader of await Promise.all(readers)) expect(reader).toEqual(expected)
    const stats = await redis.admin.info('commandstats')
    const calls = Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1])
    expect(calls).toBeLessThan(40)
  })
})
