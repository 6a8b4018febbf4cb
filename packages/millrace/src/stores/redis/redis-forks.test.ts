import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startRedisProxy } from '../../../test/support/stores/redis-proxy.ts'
import {
  redisMissing,
  type RedisServer,
  startRedis,
} from '../../../test/support/stores/redis-server.ts'
import { failure, toLines, toTexts } from '../../../test/support/stores/redis-talk.ts'
import type { Store } from '../port/index.ts'
import { createRedisStore } from './index.ts'
import * as branchScripts from './scripts/branches.ts'
import type { Script } from './scripts/common.ts'
import * as inboxScripts from './scripts/inbox.ts'
import * as logScripts from './scripts/log.ts'
import * as sessionScripts from './scripts/sessions.ts'

const scripts = { ...branchScripts, ...inboxScripts, ...logScripts, ...sessionScripts }
const { branch, discard, link, pin, present, remove, shed, unpin } = scripts

const NEVER = 1e12

describe.skipIf(redisMissing !== '')(`branches on one Redis${redisMissing}`, () => {
  let redis: RedisServer
  let count = 0
  beforeAll(async () => {
    redis = await startRedis()
    // An unknown script is sent twice.
    for (const { lua } of Object.values(scripts)) await redis.admin.script('LOAD', lua)
  })
  afterAll(() => redis.stop())

  interface Room {
    readonly prefix: string
    readonly store: Store
    /** Makes all recorded pin changes overdue, and settles them. */
    settle(): Promise<void>
    /** Returns the present keys, without those of removals and of the store's id. */
    keys(): Promise<readonly string[]>
  }

  const withStore = async (
    work: (room: Room) => Promise<void>,
    options: { readonly maxMessagesPerSession?: number } = {},
  ): Promise<void> => {
    const prefix = `test-${++count}:`
    const store = createRedisStore({ url: redis.url, prefix, ...options })
    const keys = async () => {
      const names = await redis.admin.keys(`${prefix}*`)
      return names.filter((name) => !/:gone$|\{all\}:(?:store|probe)$/.test(name)).toSorted()
    }
    const settle = async () => {
      for (const entry of await redis.admin.zrange(`${prefix}{all}:links`, 0, '-1'))
        await redis.admin.zadd(`${prefix}{all}:links`, 1, entry)
      expect(await store.prune(NEVER)).toBe(0)
      expect(await redis.admin.zcard(`${prefix}{all}:links`)).toBe(0)
    }
    try {
      await work({ prefix, store, settle, keys })
    } finally {
      await store.close()
    }
  }

  const fork = (store: Store, from: string, frame: number, to: string) =>
    store.fork({ from, frame, to, head: to })

  const append = (store: Store, session: string, tail: number, ...texts: string[]) =>
    store.append({ session, epoch: 1, tail, lines: toLines(...texts) })

  const textsOf = async (store: Store, session: string) => toTexts(await store.read(session, 0, 99))

  /** Creates a session `p` of three frames, its branch `x` with two frames of its own, and a branch `y` of `x`. */
  const openTree = async (store: Store): Promise<void> => {
    await store.open('p')
    await append(store, 'p', 0, 'a', 'b', 'c')
    await fork(store, 'p', 3, 'x')
    await append(store, 'x', 3, 'd', 'e')
    await fork(store, 'x', 5, 'y')
  }
  const tree = ['1 a', '2 b', '3 c', '4 d', '5 e']

  /** Runs a call on a connection that fails permanently after Redis has executed a script or command. */
  const interrupt = async (
    { prefix, store }: Room,
    after: Script | string,
    work: (store: Store) => Promise<unknown>,
  ): Promise<void> => {
    const proxy = await startRedisProxy(redis.port)
    const dying = createRedisStore({ url: proxy.url, prefix, commandTimeoutMs: 800 })
    try {
      await expect.poll(() => failure(dying.ping())).toBe('no failure')
      proxy.loseAnswerTo(typeof after === 'string' ? after : after.sha, 'refuse')
      expect(await failure(work(dying))).toBe('store_unavailable')
    } finally {
      proxy.refuse()
      await dying.close()
      await proxy.close()
    }
    await store.ping()
  }

  test.each<[string, Script | string]>([
    ['the change was noted', link],
    ['the branch was pinned', pin],
    ['the branch was created', branch],
    ['the note was dropped', 'zrem'],
  ])('a fork that fails after %s can be repeated, and leaves nothing behind', (_, step) =>
    withStore(async (room) => {
      const { store, prefix, settle, keys } = room
      await openTree(store)
      await interrupt(room, step, (dying) => fork(dying, 'p', 2, 'z'))
      expect(await fork(store, 'p', 2, 'z')).toMatchObject({ tail: 2, epoch: 1 })
      expect(await textsOf(store, 'z')).toEqual(['1 a', '2 b'])
      const listed = { session: 'z', frame: 2 }
      expect(await store.branches('p', 9)).toContainEqual(listed)
      await settle()
      expect(await redis.admin.hlen(`${prefix}{p}:pins`)).toBe(2)
      await store.remove('p')
      expect(await textsOf(store, 'z')).toEqual(['1 a', '2 b'])
      for (const name of ['x', 'y', 'z']) await store.remove(name)
      expect(await keys()).toEqual([])
    }),
  )

  test.each<[string, Script | string]>([
    ['the branch was looked at', remove],
    ['the change was noted', link],
    ['it was seen that the branch is gone', present],
    ['its pin was dropped', unpin],
    ['its parent was dropped', discard],
    ['the note was dropped', 'zrem'],
  ])('a removal that fails after %s is completed', (_, step) =>
    withStore(async (room) => {
      const { store, settle, keys } = room
      await openTree(store)
      await store.remove('p')
      await store.remove('x')
      expect(await textsOf(store, 'y')).toEqual(tree)
      await interrupt(room, step, (dying) => dying.remove('y'))
      await store.remove('y')
      await settle()
      expect(await keys()).toEqual([])
    }),
  )

  test('a removal that fails before unshared data are dropped leaves a complete branch', () =>
    withStore(async (room) => {
      const { store, settle, keys } = room
      await openTree(store)
      await append(store, 'x', 5, 'f')
      await store.remove('p')
      await store.remove('y')
      await fork(store, 'x', 4, 'z')
      await interrupt(room, shed, (dying) => dying.remove('x'))
      expect(await textsOf(store, 'z')).toEqual(tree.slice(0, 4))
      await settle()
      expect(await textsOf(store, 'z')).toEqual(tree.slice(0, 4))
      await store.remove('z')
      expect(await keys()).toEqual([])
    }))

  test('a pin without a branch is dropped after ten minutes, not before, and is never listed', () =>
    withStore(async (room) => {
      const { store, prefix, settle } = room
      await openTree(store)
      await interrupt(room, pin, (dying) => fork(dying, 'p', 1, 'z'))
      await store.prune(NEVER)
      expect(await redis.admin.hlen(`${prefix}{p}:pins`)).toBe(2)
      expect(await store.branches('p', 9)).toEqual([{ session: 'x', frame: 3 }])
      await settle()
      expect(await redis.admin.hlen(`${prefix}{p}:pins`)).toBe(1)
      expect(await redis.admin.hget(`${prefix}{p}:meta`, 'pins')).toBe('1')
    }))

  test('a process that continues after its pin may have been dropped creates nothing', () =>
    withStore(async ({ store, prefix }) => {
      await openTree(store)
      const { log = '' } = (await store.info('p')) ?? {}
      const now = Number((await redis.admin.time())[0]) * 1e6
      const names = (session: string, ...keys: string[]) =>
        keys.map((key) => `${prefix}{${session}}:${key}`)
      const own = names('z', 'meta', 'gone', 'parts', 'numbers', 'inbox', 'pending', 'pins')
      const pinned = [...names('p', 'meta', 'log', 'pins'), ...names('p', 'no', 'no', 'no')]
      for (const [at, outcome] of [[now - 360e6, 'late'] as const, [now, 'ok'] as const]) {
        const pinning = [log, 'newlog', 'z', 1, 1, at, 'p']
        expect(await redis.admin.eval(pin.lua, 6, ...pinned, ...pinning)).toEqual([outcome])
        const created = ['z', 'newlog', 'w', at, 1, 1, 'head', '[]', '[]', '', '', '']
        const reply = await redis.admin.eval(branch.lua, own.length, ...own, ...created)
        expect(String(reply).split(',')[0]).toBe(outcome)
      }
    }))

  test('a removed session keeps only data that branches share', () =>
    withStore(async ({ store, prefix, keys }) => {
      await store.open('p')
      const texts = Array.from({ length: 3_000 }, (_, n) => `line ${n}`)
      const parts = texts.map((body, n) => ({ collection: 'c', number: n, frame: n + 1, body }))
      const cell = { collection: 'own:c', number: 1, frame: 1, body: 'cell' }
      const file = { mediaType: 'text/plain', bytes: Uint8Array.of(1) }
      await store.putFile('p', { ...file, id: 'early' })
      const lines = toLines(...texts)
      await store.append({ session: 'p', epoch: 1, tail: 0, lines, parts: [...parts, cell] })
      await store.putFile('p', { ...file, id: 'late' })
      await store.submit('p', { key: 'k', body: 'secret' })
      await fork(store, 'p', 2, 'x')
      await fork(store, 'p', 700, 'y')
      const before = [await store.read('y', 0, 999), await partsOf(store, 'y')]
      await store.remove('p')
      const base = `${prefix}{p}:kept:`
      const [log = ''] = (await keys()).filter((key) => key.startsWith(base))
      const kept = log.slice(0, log.lastIndexOf(':'))
      expect(await redis.admin.xlen(`${kept.replace(/:file$/, '')}:log`)).toBe(700)
      const names = (await keys()).filter((key) => key.startsWith(base))
      const kinds = names.map((key) => key.slice(base.length).split(':').slice(1).join(':'))
      expect(kinds).toEqual(['file:early', 'files', 'log', 'meta', 'numbers', 'parts', 'pins'])
      const hash = names.find((key) => key.endsWith(':parts')) ?? ''
      expect(await redis.admin.hlen(hash)).toBe(700)
      expect([await store.read('y', 0, 999), await partsOf(store, 'y')]).toEqual(before)
      expect(await store.fileIds('y')).toEqual(['early'])
      expect(await fork(store, 'y', 650, 'z')).toMatchObject({
        parent: { session: 'p', frame: 650 },
      })
    }))

  const partsOf = (store: Store, session: string) =>
    store.parts(session, 'c', { after: -1, limit: 5_000 })

  test('many branches of one session are listed in steps', () =>
    withStore(async ({ store }) => {
      await openTree(store)
      const names = Array.from({ length: 700 }, (_, n) => `b${n}`)
      await Promise.all(names.map((name) => fork(store, 'p', 1, name)))
      const listed = await store.branches('p', 1_000)
      expect(listed.map(({ session }) => session).toSorted()).toEqual(['x', ...names].toSorted())
      expect(await store.branches('p', 5)).toHaveLength(5)
      expect(await store.branches('p', 0)).toEqual([])
    }))

  test('parts that a branch does not share are skipped, for any number of them', () =>
    withStore(async ({ store }) => {
      await store.open('p')
      const shared = [5, 2_500, 4_000].map((number) => ({ number, frame: 1 }))
      const parts = Array.from({ length: 4_500 }, (_, number) => ({ number, frame: 2 }))
      for (const { number, frame } of shared) parts[number] = { number, frame }
      const changes = parts.map((part) => ({ ...part, collection: 'c', body: `${part.number}` }))
      const lines = toLines('a', 'b')
      await store.append({ session: 'p', epoch: 1, tail: 0, lines, parts: changes })
      await fork(store, 'p', 1, 'x')
      const numbers = async (range: Parameters<Store['parts']>[2]) =>
        (await store.parts('x', 'c', range)).map(({ number }) => number)
      expect(await numbers({ after: -1, limit: 99 })).toEqual([5, 2_500, 4_000])
      expect(await numbers({ before: 9_999, limit: 99 })).toEqual([4_000, 2_500, 5])
      expect(await numbers({ after: 5, limit: 1 })).toEqual([2_500])
      expect(await numbers({ before: 4_000, limit: 1 })).toEqual([2_500])
    }))

  test('no shared frame is dropped by a bound on messages, until the branch is removed', () =>
    withStore(
      async ({ store, prefix }) => {
        await openTree(store)
        for (let tail = 3; tail < 60; tail++) await append(store, 'p', tail, `line ${tail}`)
        const { earliest = 0 } = (await store.info('p')) ?? {}
        expect(earliest).toBeGreaterThan(48)
        expect(await failure(store.read('p', earliest - 2, 9))).toBe('cursor_trimmed')
        expect(await textsOf(store, 'y')).toEqual(tree)
        expect(await redis.admin.xlen(`${prefix}{p}:log`)).toBe(60)
        await store.remove('x')
        expect(await textsOf(store, 'y')).toEqual(tree)
        await store.remove('y')
        expect(await redis.admin.xlen(`${prefix}{p}:log`)).toBe(60 - earliest + 1)
        await append(store, 'p', 60, 'more')
        expect(toTexts(await store.read('p', 59, 9))).toEqual(['60 line 59', '61 more'])
      },
      { maxMessagesPerSession: 10 },
    ))

  test('a branch drops shared frames by the bound on messages too', () =>
    withStore(
      async ({ store }) => {
        await openTree(store)
        for (let tail = 5; tail < 30; tail++) await append(store, 'y', tail, `line ${tail}`)
        const { earliest = 0 } = (await store.info('y')) ?? {}
        expect(earliest).toBeGreaterThan(18)
        expect((await store.read('y', earliest - 1, 99)).length).toBe(31 - earliest)
        expect(await textsOf(store, 'x')).toEqual(tree)
      },
      { maxMessagesPerSession: 10 },
    ))

  test('externally evicted or deleted frames and parts of an ancestor are reported', () =>
    withStore(async ({ store, prefix }) => {
      await openTree(store)
      const parts = [{ collection: 'c', number: 1, frame: 1, body: 'b' }]
      await store.append({ session: 'p', epoch: 1, tail: 3, lines: [], parts })
      expect(await store.parts('y', 'c', { after: 0, limit: 9 })).toEqual(parts)
      await redis.admin.del(`${prefix}{p}:log`)
      expect(await failure(store.read('y', 0, 9))).toBe('log_truncated')
      expect(await failure(store.read('y', 2, 9))).toBe('log_truncated')
      expect(toTexts(await store.read('y', 3, 9))).toEqual(['4 d', '5 e'])
      expect(await failure(fork(store, 'p', 1, 'z'))).toBe('log_truncated')
      expect(await failure(fork(store, 'y', 1, 'z'))).toBe('log_truncated')
      await redis.admin.del(`${prefix}{p}:parts`)
      expect(await failure(store.parts('y', 'c', { after: 0, limit: 9 }))).toBe('log_truncated')
      await redis.admin.del(`${prefix}{x}:log`)
      expect(await failure(append(store, 'x', 5, 'f'))).toBe('log_truncated')
      expect(await failure(store.read('x', 3, 9))).toBe('log_truncated')
      await append(store, 'y', 5, 'own')
      expect(toTexts(await store.read('y', 5, 9))).toEqual(['6 own'])
      await redis.admin.del(`${prefix}{y}:log`)
      expect(await failure(append(store, 'y', 6, 'f'))).toBe('log_truncated')
    }))

  test('data of a branch and of its parent that a restored Redis has lost are detected', async () => {
    const restored = await startRedis()
    const store = createRedisStore({ url: restored.url })
    try {
      await openTree(store)
      await restored.admin.save()
      await append(store, 'y', 5, 'lost')
      await fork(store, 'p', 1, 'z')
      await append(store, 'p', 3, 'lost')
      await restored.crash()
      expect(await failure(append(store, 'y', 6, 'more'))).toBe('log_truncated')
      expect(await failure(append(store, 'z', 1, 'more'))).toBe('not_found')
      expect(await failure(append(store, 'p', 4, 'more'))).toBe('log_truncated')
      expect(await textsOf(store, 'y')).toEqual(tree)
      expect(await fork(store, 'y', 5, 'on')).toMatchObject({ tail: 5 })
      expect(await append(store, 'on', 5, 'more')).toMatchObject({ tail: 6 })
    } finally {
      await store.close()
      await restored.stop()
    }
  })

  test('nothing is dropped that lost pins may share', () =>
    withStore(async ({ store, prefix }) => {
      await openTree(store)
      await fork(store, 'p', 1, 'z')
      await redis.admin.hdel(`${prefix}{p}:pins`, (await store.info('x'))?.log ?? '')
      await store.remove('z')
      await store.trim('p', 3)
      await store.remove('p')
      expect(await textsOf(store, 'y')).toEqual(tree)
    }))

  test('an append to a session without branches sends Redis no additional commands', () =>
    withStore(async ({ store }) => {
      await store.open('p')
      await append(store, 'p', 0, 'a')
      await redis.admin.config('RESETSTAT')
      await append(store, 'p', 1, 'b')
      const stats = await redis.admin.info('commandstats')
      const calls = [...stats.matchAll(/cmdstat_(\w+):calls=(\d+)/g)].map(
        ([, name, times]) => `${name} ${times}`,
      )
      const expected = ['evalsha', 'hmget', 'hset', 'publish', 'time', 'xadd', 'xlen', 'zadd']
      const sent = calls.filter((call) => !/^(?:config|info|get|ping)/.test(call))
      expect(sent.toSorted()).toEqual(expected.map((name) => `${name} 1`))
    }))
})
