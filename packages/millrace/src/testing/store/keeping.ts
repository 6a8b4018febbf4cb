import type { StoreCheck } from './store-check.ts'
import { append, failure, rest } from './store-talk.ts'

/** What every store promises of what is kept beside the log, and for how long. */
export const keeping: Readonly<Record<string, StoreCheck>> = {
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
    const older = await store.conversations('a', { before: 2, limit: 2 })
    expect(older).toEqual([{ number: 1, json: 'one' }])
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
