import { isMillraceError } from '../errors/index.ts'
import type { LogEntry, Store } from '../store/index.ts'
import type { TestTools } from './test-tools.ts'

/** Makes an empty store for one test. */
export type CreateStore = () => Promise<Store> | Store

/** Declares the tests that every store must pass, with the test runner that is handed in. */
export function testStore(tools: TestTools, create: CreateStore): void {
  const cases = { ...writing, ...reading, ...waiting, ...listing, ...leasing, ...keeping }
  for (const [name, check] of Object.entries(cases)) {
    tools.test(name, async () => {
      const store = await create()
      try {
        await check(store, tools.expect)
      } finally {
        await store.close()
      }
    })
  }
}

type Check = (store: Store, expect: TestTools['expect']) => Promise<void>

const writing: Record<string, Check> = {
  'a session that was never opened is unknown': async (store, expect) => {
    expect(await store.info('a')).toBe(undefined)
    expect(await failure(store.read('a', 0, 10))).toBe('not_found')
    expect(await failure(append(store, 'a', 1, 0, ['x']))).toBe('not_found')
  },

  'a new session has an empty log and the first epoch': async (store, expect) => {
    const empty = { session: 'a', tail: 0, earliest: 1, epoch: 1, record: undefined }
    expect(await store.open('a')).toEqual(empty)
    expect(await store.info('a')).toEqual(empty)
  },

  'ids are 1, 2, 3 … whatever the size of the appends': async (store, expect) => {
    await store.open('a')
    expect(await append(store, 'a', 1, 0, ['one'])).toBe(1)
    expect(await append(store, 'a', 1, 1, ['two', 'three'])).toBe(3)
    expect(await append(store, 'a', 1, 3, [])).toBe(3)
    expect(texts(await store.read('a', 0, 10))).toEqual(['1 one', '2 two', '3 three'])
  },

  'an append with another tail is a conflict and stores nothing': async (store, expect) => {
    await store.open('a')
    await append(store, 'a', 1, 0, ['one'])
    expect(await failure(append(store, 'a', 1, 0, ['again']))).toBe('conflict')
    expect(await failure(append(store, 'a', 1, 2, ['ahead'], 'lost'))).toBe('conflict')
    expect(texts(await store.read('a', 0, 10))).toEqual(['1 one'])
    expect((await store.info('a'))?.record).toBe(undefined)
  },

  'a writer that was superseded learns it and stores nothing': async (store, expect) => {
    await store.open('a')
    await append(store, 'a', 1, 0, ['one'])
    expect((await store.open('a')).epoch).toBe(2)
    expect(await failure(append(store, 'a', 1, 1, ['zombie'], 'lost'))).toBe('lease_lost')
    expect(await append(store, 'a', 2, 1, ['two'])).toBe(2)
    expect(texts(await store.read('a', 0, 10))).toEqual(['1 one', '2 two'])
  },

  'of those who open what they have read, one does': async (store, expect) => {
    const racers = Array.from({ length: 10 }, () => store.open('a', undefined, 0))
    const outcomes = await Promise.all(racers.map(failure))
    expect(outcomes.filter((outcome) => outcome === 'stored').length).toBe(1)
    expect(outcomes.filter((outcome) => outcome === 'lease_lost').length).toBe(9)
    expect((await store.info('a'))?.epoch).toBe(1)
    expect((await store.open('a', undefined, 1)).epoch).toBe(2)
    expect(await failure(store.open('a', { owner: 'late', ms: 1000 }, 1))).toBe('lease_lost')
    expect((await store.info('a'))?.lease).toBe(undefined)
    expect(await append(store, 'a', 2, 0, ['one'])).toBe(1)
    await store.remove('a')
    expect(await failure(store.open('a', undefined, 2))).toBe('lease_lost')
    expect(await store.info('a')).toBe(undefined)
    expect((await store.open('a', undefined, 0)).tail).toBe(0)
  },

  'of appends made at once with the same tail, one is stored': async (store, expect) => {
    await store.open('a')
    const racers = Array.from({ length: 20 }, (_, n) => append(store, 'a', 1, 0, [`racer ${n}`]))
    const outcomes = await Promise.all(racers.map(failure))
    expect(outcomes.filter((outcome) => outcome === 'stored').length).toBe(1)
    expect(outcomes.filter((outcome) => outcome === 'conflict').length).toBe(19)
    expect((await store.info('a'))?.tail).toBe(1)
  },

  'the record changes with the lines of its append, or alone': async (store, expect) => {
    await store.open('a')
    await append(store, 'a', 1, 0, ['one'], 'first')
    expect((await store.info('a'))?.record?.json).toBe('first')
    await append(store, 'a', 1, 1, ['two'])
    expect((await store.info('a'))?.record?.json).toBe('first')
    await append(store, 'a', 1, 2, [], 'second')
    expect((await store.open('a')).record?.json).toBe('second')
  },

  'sessions do not touch each other': async (store, expect) => {
    await store.open('a')
    await store.open('b')
    await append(store, 'a', 1, 0, ['of a'])
    await append(store, 'b', 1, 0, ['of b', 'more'])
    expect(texts(await store.read('a', 0, 10))).toEqual(['1 of a'])
    expect(texts(await store.read('b', 0, 10))).toEqual(['1 of b', '2 more'])
  },
}

const reading: Record<string, Check> = {
  'pages join to the whole log from every cursor': async (store, expect) => {
    await store.open('a')
    const lines = Array.from({ length: 25 }, (_, n) => `line ${n + 1}`)
    await append(store, 'a', 1, 0, lines)
    for (const limit of [1, 4, 25, 100]) {
      for (let cursor = 0; cursor <= 25; cursor++) {
        const rest = lines.slice(cursor).map((line, n) => `${cursor + n + 1} ${line}`)
        expect(texts(await readAll(store, 'a', cursor, limit))).toEqual(rest)
      }
    }
  },

  'bytes come back as they were, whatever they are': async (store, expect) => {
    await store.open('a')
    const line = Uint8Array.from({ length: 512 }, (_, n) => n % 256)
    await store.append({ session: 'a', epoch: 1, tail: 0, lines: [line] })
    const [entry] = await store.read('a', 0, 1)
    expect(Array.from(entry?.line ?? [])).toEqual(Array.from(line))
  },

  'there is nothing after the tail': async (store, expect) => {
    await store.open('a')
    expect((await store.read('a', 0, 10)).length).toBe(0)
    await append(store, 'a', 1, 0, ['one'])
    expect((await store.read('a', 1, 10)).length).toBe(0)
  },
}

const waiting: Record<string, Check> = {
  'a wait ends at once when there is something to read': async (store) => {
    await store.open('a')
    await append(store, 'a', 1, 0, ['one'])
    await store.wait('a', 0, new AbortController().signal)
  },

  'an append wakes everyone who waits, and no record alone does': async (store, expect) => {
    await store.open('a')
    const { signal } = new AbortController()
    let woken = 0
    const waits = Array.from({ length: 3 }, () => store.wait('a', 0, signal).then(() => woken++))
    await append(store, 'a', 1, 0, [], 'record')
    await rest()
    expect(woken).toBe(0)
    await append(store, 'a', 1, 0, ['one'])
    await Promise.all(waits)
    expect(woken).toBe(3)
  },

  'a wait ends with the reason of its signal': async (store, expect) => {
    await store.open('a')
    const controller = new AbortController()
    const reason = new Error('enough')
    const wait = store.wait('a', 0, controller.signal).then(nothing, (error: unknown) => error)
    controller.abort(reason)
    expect(await wait).toBe(reason)
    expect(await store.wait('a', 0, controller.signal).then(nothing, same)).toBe(reason)
  },

  'a wait does not outlive the store': async (store, expect) => {
    await store.open('a')
    const wait = failure(store.wait('a', 0, new AbortController().signal))
    await rest()
    await store.close()
    expect(await wait).toBe('internal')
  },
}

const listing: Record<string, Check> = {
  'sessions are listed by their last write, the newest first': async (store, expect) => {
    for (const session of ['a', 'b', 'c']) {
      await store.open(session)
      await append(store, session, 1, 0, ['one'], `of ${session}`)
    }
    await append(store, 'a', 1, 1, ['two'], 'again')
    const { rows, total } = await store.list({ limit: 2, offset: 0 })
    expect(total).toBe(3)
    expect(rows).toEqual([
      { session: 'a', tail: 2, summary: 'summary again' },
      { session: 'c', tail: 1, summary: 'summary of c' },
    ])
    expect((await store.list({ limit: 2, offset: 2 })).rows.length).toBe(1)
  },
}

const leasing: Record<string, Check> = {
  'a lease lasts as long as it is renewed, and lapses by itself': async (store, expect) => {
    await store.open('a', { owner: 'n1', ms: 60_000 })
    await store.open('b', { owner: 'n2', ms: 1 })
    await store.open('c')
    await rest()
    expect(await store.leases(10)).toEqual([
      { session: 'b', owner: 'n2', hasLapsed: true },
      { session: 'a', owner: 'n1', hasLapsed: false },
    ])
    expect((await store.leases(1)).length).toBe(1)
    expect((await store.info('a'))?.lease).toEqual({ owner: 'n1', hasLapsed: false })
    expect((await store.info('b'))?.lease).toEqual({ owner: 'n2', hasLapsed: true })
    expect((await store.info('c'))?.lease).toBe(undefined)
    await store.renew('b', 1, { owner: 'n2', ms: 120_000 })
    await store.append({
      session: 'a',
      epoch: 1,
      tail: 0,
      lines: [],
      lease: { owner: 'n1', ms: 90_000 },
    })
    const held = await store.leases(10)
    expect(held.map(({ session, hasLapsed }) => `${session} ${hasLapsed}`)).toEqual([
      'a false',
      'b false',
    ])
  },

  'a lease is given up with an append, and ends when another writer opens': async (
    store,
    expect,
  ) => {
    await store.open('a', { owner: 'n1', ms: 60_000 })
    await store.append({ session: 'a', epoch: 1, tail: 0, lines: [], lease: 'release' })
    expect((await store.leases(10)).length).toBe(0)
    await store.open('b', { owner: 'n1', ms: 60_000 })
    await store.open('b')
    expect((await store.leases(10)).length).toBe(0)
  },

  'a renewal that comes after its lease was given up gives none': async (store, expect) => {
    await store.open('a', { owner: 'n1', ms: 60_000 })
    await store.append({ session: 'a', epoch: 1, tail: 0, lines: [], lease: 'release' })
    await store.renew('a', 1, { owner: 'n1', ms: 60_000 })
    expect((await store.leases(10)).length).toBe(0)
    expect((await store.info('a'))?.lease).toBe(undefined)
  },

  'only the present writer renews': async (store, expect) => {
    await store.open('a', { owner: 'n1', ms: 60_000 })
    await store.open('a', { owner: 'n2', ms: 60_000 })
    expect(await failure(store.renew('a', 1, { owner: 'n1', ms: 60_000 }))).toBe('lease_lost')
    expect(await failure(store.renew('x', 1, { owner: 'n1', ms: 60_000 }))).toBe('not_found')
    expect((await store.leases(10))[0]?.owner).toBe('n2')
  },

  'a fenced append changes neither lease nor history': async (store, expect) => {
    await store.open('a', { owner: 'n1', ms: 60_000 })
    await store.open('a', { owner: 'n2', ms: 60_000 })
    const late = { session: 'a', epoch: 1, tail: 0, lines: [] }
    const conversation = { number: 1, json: 'late' }
    expect(await failure(store.append({ ...late, lease: 'release', conversation }))).toBe(
      'lease_lost',
    )
    expect((await store.leases(10)).length).toBe(1)
    expect((await store.conversations('a', { limit: 10 })).length).toBe(0)
  },
}

const keeping: Record<string, Check> = {
  'conversations come newest first, in pages, the last of a number counts': async (
    store,
    expect,
  ) => {
    await store.open('a')
    for (const [number, json] of [
      [1, 'one'],
      [2, 'draft'],
      [2, 'two'],
      [3, 'three'],
    ] as const)
      await store.append({
        session: 'a',
        epoch: 1,
        tail: 0,
        lines: [],
        conversation: { number, json },
      })
    const page = await store.conversations('a', { limit: 2 })
    expect(page.map(({ json }) => json)).toEqual(['three', 'two'])
    const rest = await store.conversations('a', { before: 2, limit: 2 })
    expect(rest).toEqual([{ number: 1, json: 'one' }])
    expect((await store.conversations('x', { limit: 2 })).length).toBe(0)
  },

  'files come back as they were, and the same id replaces': async (store, expect) => {
    await store.open('a')
    const bytes = Uint8Array.from({ length: 300 }, (_, n) => n % 256)
    const file = { id: 'img_1', mediaType: 'image/png', bytes }
    await store.putFile('a', file)
    const found = await store.file('a', 'img_1')
    expect(Array.from(found?.bytes ?? [])).toEqual(Array.from(bytes))
    expect(found?.mediaType).toBe('image/png')
    expect(found?.filename).toBe(undefined)
    await store.putFile('a', { ...file, filename: 'ü.png', bytes: Uint8Array.of(1) })
    expect((await store.file('a', 'img_1'))?.filename).toBe('ü.png')
    expect(Array.from((await store.file('a', 'img_1'))?.bytes ?? [])).toEqual([1])
    expect(await store.file('a', 'nope')).toBe(undefined)
    expect(await store.file('x', 'img_1')).toBe(undefined)
    expect(await failure(store.putFile('x', file))).toBe('not_found')
    await store.putFile('a', { ...file, id: 'f' })
    expect([...(await store.fileIds('a'))].sort()).toEqual(['f', 'img_1'])
    expect(await store.fileIds('x')).toEqual([])
  },

  'a session that is removed is gone with all it had, and may begin again': async (
    store,
    expect,
  ) => {
    await store.open('a', { owner: 'n1', ms: 60_000 })
    await append(store, 'a', 1, 0, ['one'], 'record')
    await store.putFile('a', { id: 'f', mediaType: 'text/plain', bytes: Uint8Array.of(1) })
    const wait = failure(store.wait('a', 1, new AbortController().signal))
    await rest()
    expect(await store.remove('a')).toBe(true)
    expect(await store.remove('a')).toBe(false)
    expect(await wait).toBe('not_found')
    expect(await store.info('a')).toBe(undefined)
    expect(await store.file('a', 'f')).toBe(undefined)
    expect((await store.leases(10)).length).toBe(0)
    expect((await store.list({ limit: 10, offset: 0 })).total).toBe(0)
    expect((await store.open('a')).tail).toBe(0)
  },

  'idle sessions are pruned, those under lease are not': async (store, expect) => {
    for (const session of ['a', 'b']) await store.open(session)
    await store.open('c', { owner: 'n1', ms: 60_000 })
    await rest(500)
    await append(store, 'b', 1, 0, ['one'])
    expect(await store.prune(60_000)).toBe(0)
    expect(await store.prune(450)).toBe(1)
    expect(await store.info('a')).toBe(undefined)
    expect((await store.info('b'))?.tail).toBe(1)
    expect((await store.info('c'))?.epoch).toBe(1)
  },

  'a command reaches all who listen, until they stop': async (store, expect) => {
    const heard: string[] = []
    const stop = store.onCommand((session, command) => heard.push(`${session} ${command}`))
    await rest()
    await store.send('a', 'stop')
    await rest()
    stop()
    await store.send('a', 'again')
    await rest()
    expect(heard).toEqual(['a stop'])
  },

  'a store that works answers a ping, a closed one does not': async (store, expect) => {
    await store.ping()
    await store.close()
    expect(await failure(store.ping())).toBe('internal')
  },
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const same = (value: unknown): unknown => value
const nothing = (): undefined => undefined

/** Long enough for a store to do what it should not. */
const rest = (ms = 20): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

function append(
  store: Store,
  session: string,
  epoch: number,
  tail: number,
  lines: readonly string[],
  record?: string,
): Promise<number> {
  const encoded = lines.map((line) => encoder.encode(line))
  const bare = { session, epoch, tail, lines: encoded }
  if (record === undefined) return store.append(bare)
  return store.append({ ...bare, record: { json: record, summary: `summary ${record}` } })
}

async function readAll(store: Store, session: string, cursor: number, limit: number) {
  const found: LogEntry[] = []
  for (let after = cursor; ;) {
    const page = await store.read(session, after, limit)
    const last = page.at(-1)
    if (last === undefined) return found
    found.push(...page)
    after = last.id
  }
}

function texts(entries: readonly LogEntry[]): string[] {
  return entries.map(({ id, line }) => `${id} ${decoder.decode(line)}`)
}

async function failure(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'stored',
    (error: unknown) => (isMillraceError(error) ? error.code : String(error)),
  )
}
