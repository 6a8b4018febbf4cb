import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { oldScripts } from '../../../test/support/stores/redis-old-scripts.ts'
import {
  redisMissing,
  type RedisServer,
  startRedis,
} from '../../../test/support/stores/redis-server.ts'
import { failure, toLines, toTexts } from '../../../test/support/stores/redis-talk.ts'
import type { Store } from '../port/index.ts'
import { createRedisStore } from './index.ts'

describe.skipIf(redisMissing !== '')(`sessions of version 0.1.0${redisMissing}`, () => {
  let redis: RedisServer
  let store: Store
  let count = 0
  beforeAll(async () => {
    redis = await startRedis()
    store = createRedisStore({ url: redis.url })
  })
  afterAll(async () => {
    await store.close()
    await redis.stop()
  })

  const own = (session: string, ...names: string[]): string[] =>
    names.map((name) => `millrace:{${session}}:${name}`)
  const leases = own('all', 'leases')
  const shared = own('all', 'sessions', 'leases')

  /** Runs a script of 0.1.0 and returns its status. */
  const run = async (
    name: keyof typeof oldScripts,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown> => {
    const reply = await redis.admin.eval(oldScripts[name], keys.length, ...keys, ...args)
    return Array.isArray(reply) ? reply[0] : reply
  }
  const channel = (session: string): string => `millrace:{${session}}:tail`

  const removed = ['meta', 'log', 'history', 'conversations', 'files', 'gone']

  /** Calls of a 0.1.0 process with a known epoch and tail. */
  const old = {
    open: (session: string, writer: string, ms: number | '' = '') =>
      run(
        'open',
        [...own(session, 'meta', 'gone'), ...shared],
        [session, channel(session), writer, ms === '' ? '' : 'old', ms, '', '', '', ''],
      ),
    append: (session: string, epoch: number, tail: number, parts: string[], lines: string[]) =>
      run(
        'append',
        [...own(session, 'meta', 'log', 'history', 'conversations'), ...shared],
        [
          session,
          epoch,
          '',
          tail,
          `token ${tail}`,
          channel(session),
          1_000,
          100,
          parts.length / 3,
        ].concat(parts, lines),
      ),
    renew: (session: string, epoch: number) =>
      run('renew', [...own(session, 'meta'), ...leases], [session, epoch, '', 'old', 60_000]),
    check: (session: string, epoch: number, tail: number) =>
      run(
        'check',
        [...own(session, 'meta', 'gone'), ...shared],
        [session, channel(session), epoch, 'w', tail],
      ),
    remove: (session: string, idleMs: number | '') =>
      run(
        'remove',
        [...own(session, ...removed), ...shared],
        [session, channel(session), 't', 1_000, `millrace:{${session}}:file:`, idleMs],
      ),
  }

  /** Creates a session of three frames with a record and two conversations. */
  const begin = async (ms: number | '' = ''): Promise<string> => {
    const session = `s${++count}`
    await old.open(session, 'w', ms)
    const first = ['record', '{"runs":1}', '{"title":"t"}', 'conversation', '2', 'two']
    await old.append(session, 1, 0, first, ['one', 'two'])
    await old.append(session, 1, 2, ['conversation', '10', 'ten'], ['three'])
    return session
  }

  const dump = async (): Promise<ReadonlyMap<string, string | undefined>> => {
    const names = (await redis.admin.keys('*')).toSorted()
    const bodies = await Promise.all(names.map((name) => redis.admin.dumpBuffer(name)))
    return new Map(names.map((name, index) => [name, bodies[index]?.toString('hex')]))
  }

  const record = { collection: 'record', number: 1, frame: 3, body: '{"runs":1}' }
  const conversation = (number: number, body: string) => ({
    collection: 'conversations',
    number,
    frame: 0,
    body,
  })

  test('keep the time of their last write when they are converted', async () => {
    const session = await begin()
    const at = await redis.admin.hget(`millrace:{${session}}:meta`, 'at')
    const score = await redis.admin.zscore('millrace:{all}:sessions', session)
    const { epoch, tail } = await store.open(session)
    const parts = [{ collection: 'record', number: 1, body: null }]
    await store.append({ session, epoch, tail, lines: [], head: '{}', parts, isQuiet: true })
    expect(await redis.admin.hget(`millrace:{${session}}:meta`, 'written')).toBe(at)
    expect(await redis.admin.zscore('millrace:{all}:sessions', session)).toBe(score)
  })

  test('are read as a head and parts, without a change', async () => {
    const session = await begin(60_000)
    const { log } = (await store.info(session)) ?? {}
    const before = await dump()
    const fence = { tail: 3, earliest: 1, epoch: 1, inbox: 0, pending: 0 }
    const state = { ...fence, head: '{"title":"t"}', owner: null }
    const lease = { owner: 'old', hasLapsed: false }
    expect(await store.info(session)).toEqual({ session, log, generation: 1, ...state, lease })
    const { rows } = await store.list({ limit: 1, offset: 0 })
    expect(rows).toEqual([{ session, tail: 3, head: '{"title":"t"}', owner: null }])
    expect((await store.leases(10)).rows).toEqual([{ session, owner: 'old', hasLapsed: false }])
    expect(toTexts(await store.read(session, 0, 9))).toEqual(['1 one', '2 two', '3 three'])
    const read = (collection: string, range: Parameters<Store['parts']>[2]) =>
      store.parts(session, collection, range, log)
    expect(await read('record', { after: 0, limit: 9 })).toEqual([record])
    expect(await read('record', { after: 1, limit: 9 })).toEqual([])
    expect(await read('record', { before: 2, limit: 9 })).toEqual([record])
    expect(await read('record', { before: 1, limit: 9 })).toEqual([])
    const [two, ten] = [conversation(2, 'two'), conversation(10, 'ten')]
    expect(await read('conversations', { after: 0, limit: 9 })).toEqual([two, ten])
    expect(await read('conversations', { after: 2, limit: 9 })).toEqual([ten])
    expect(await read('conversations', { before: 99, limit: 1 })).toEqual([ten])
    expect(await read('conversations', { before: 10, limit: 9 })).toEqual([two])
    expect(await read('runs', { after: -1, limit: 9 })).toEqual([])
    expect(await store.pending(session)).toEqual([])
    expect(await store.command(session, 'k')).toBe(undefined)
    expect(await store.settle(session, { key: 'k', body: '' })).toBe(false)
    expect(await dump()).toEqual(before)
    expect(await old.append(session, 1, 3, [], ['four'])).toBe('ok')
    expect(await store.remove(session)).toBe(true)
  })

  test('are converted part by part, and removed data do not return', async () => {
    const session = await begin()
    const { epoch, head, log } = await store.open(session)
    expect(head).toBe('{"title":"t"}')
    const all = { session, epoch, log, tail: 3, lines: [] }
    const run = { collection: 'runs', number: 2, frame: 2, body: 'two' }
    const gone = { collection: 'conversations', number: 2, body: null }
    await store.append({ ...all, parts: [run, gone] })
    const range = { after: -1, limit: 9 }
    expect(await store.parts(session, 'conversations', range)).toEqual([conversation(10, 'ten')])
    const changed = { ...conversation(4, 'new'), frame: 3 }
    await store.append({ ...all, parts: [changed, { ...conversation(10, 'TEN'), frame: 3 }] })
    const found = await store.parts(session, 'conversations', { before: 99, limit: 9 })
    expect(found.map(({ number, body }) => `${number} ${body}`)).toEqual(['10 TEN', '4 new'])
    await store.append({ ...all, parts: [{ collection: 'record', number: 1, body: null }] })
    expect(await store.parts(session, 'record', range)).toEqual([])
    expect(await store.parts(session, 'runs', range)).toEqual([run])
    expect((await store.info(session))?.head).toBe('{"title":"t"}')
    expect(await redis.admin.exists(...own(session, 'history', 'conversations'))).toBe(0)
    expect(await redis.admin.hmget(`millrace:{${session}}:meta`, 'record', 'summary')).toEqual([
      null,
      null,
    ])
  })

  test('are not written to by 0.1.0 after this version, nor are sessions that this version began', async () => {
    const opened = await begin(60_000)
    const submitted = await begin(60_000)
    const begun = `s${++count}`
    await store.open(opened, { owner: 'new', ms: 60_000 })
    await store.submit(submitted, { key: 'k', body: '' })
    await store.open(begun, { owner: 'new', ms: 60_000 })
    const before = await dump()
    for (const [session, epoch, tail] of [
      [opened, 2, 3],
      [submitted, 1, 3],
      [begun, 1, 0],
    ] as const) {
      const parts = ['record', 'x', 'x', 'conversation', '2', 'x', 'lease', '', '']
      expect(await old.open(session, 'another', 60_000)).toBe('truncated')
      expect(await old.append(session, epoch, tail, parts, ['x'])).toBe('truncated')
      expect(await old.append(session, 1, tail, parts, ['x'])).toBe('truncated')
      expect(await old.renew(session, epoch)).toBe('truncated')
      expect(await old.check(session, 1, tail)).toBe('lost')
      expect(await old.check(session, epoch, tail + 9)).toBe('lost')
      expect(await old.remove(session, 0)).toBe(0)
      expect(await dump()).toEqual(before)
    }
    expect((await store.leases(10)).rows.map(({ session }) => session)).toEqual([opened, begun])
    expect((await store.unattended(10)).rows).toMatchObject([{ session: submitted }])
    for (const session of [opened, submitted, begun]) await store.remove(session)
  })

  test('have the lapsed lease of a server of 0.1.0 found and taken over', async () => {
    const session = await begin(1)
    await expect
      .poll(async () => (await store.leases(10)).rows)
      .toEqual([{ session, owner: 'old', hasLapsed: true }])
    await store.open(session, { owner: 'new', ms: 60_000 }, 1)
    expect((await store.leases(10)).rows).toEqual([{ session, owner: 'new', hasLapsed: false }])
    await store.remove(session)
  })

  test('have nothing of an earlier session that 0.1.0 removed and began again', async () => {
    const session = `s${++count}`
    const { epoch, log } = await store.open(session)
    const part = { collection: 'runs', number: 1, frame: 0, body: 'run' }
    await store.append({ session, epoch, tail: 0, lines: toLines('one'), parts: [part] })
    await store.submit(session, { key: 'k', body: 'of the first' })
    expect(await old.remove(session, '')).toBe(1)
    expect(await store.info(session)).toBe(undefined)
    expect((await store.unattended(10)).rows).toEqual([])
    expect(await old.open(session, 'w')).toBe('ok')
    expect(await failure(store.append({ session, epoch, log, tail: 0, lines: [] }))).toBe(
      'lease_lost',
    )
    const look = async () => [
      await store.parts(session, 'runs', { after: 0, limit: 9 }),
      await store.pending(session),
      await store.command(session, 'k'),
    ]
    expect(await look()).toEqual([[], [], undefined])
    await store.open(session)
    expect(await look()).toEqual([[], [], undefined])
    const { command, isNew } = await store.submit(session, { key: 'k', body: 'of the second' })
    expect([command.seq, command.body, isNew]).toEqual([1, 'of the second', true])
  })

  test('are converted when forked, and the branch shares messages and conversations', async () => {
    const session = await begin(60_000)
    const to = `s${++count}`
    const all = { after: 0, limit: 9 }
    await store.fork({ from: session, frame: 2, to, head: '' })
    expect(await old.append(session, 1, 3, [], ['four'])).toBe('truncated')
    const look = async () => [
      toTexts(await store.read(to, 0, 9)),
      await store.parts(to, 'conversations', all),
      await store.parts(to, 'record', all),
    ]
    const shared = [['1 one', '2 two'], [conversation(2, 'two'), conversation(10, 'ten')], []]
    expect(await look()).toEqual(shared)
    expect(await store.parts(session, 'record', all)).toEqual([record])
    await store.remove(session)
    expect(await look()).toEqual(shared)
    await store.remove(to)
    expect(await redis.admin.keys(`millrace:{${session}}:kept:*`)).toEqual([])
  })

  test('can still be written to by 0.1.0 after trimming', async () => {
    const session = await begin()
    await store.trim(session, 3)
    expect(await old.append(session, 1, 3, [], ['four'])).toBe('ok')
    expect(await store.info(session)).toMatchObject({ tail: 4, earliest: 3 })
    expect(toTexts(await store.read(session, 2, 9))).toEqual(['3 three', '4 four'])
    expect(await failure(store.read(session, 1, 9))).toBe('cursor_trimmed')
    await store.remove(session)
  })
})
