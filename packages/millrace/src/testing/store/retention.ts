import { type StoreCheck, append, pause } from './store-helpers.ts'

/** Checks of the removal of sessions. */
export const retention: Readonly<Record<string, StoreCheck>> = {
  'a log keeps its id, and a session that is opened again has another one': async (
    store,
    expect,
  ) => {
    const { log } = await store.open('a')
    await append(store, 'a', 1, 0, ['one'])
    expect((await store.info('a'))?.log).toBe(log)
    expect((await store.open('a')).log).toBe(log)
    expect((await store.open('b')).log === log).toBe(false)
    await store.remove('a')
    const again = await store.open('a')
    expect(again.generation).toBe(2)
    expect(again.log === log).toBe(false)
    expect(log.length > 0 && again.log.length > 0).toBe(true)
  },

  'idle sessions are pruned, leased ones are not': async (store, expect) => {
    for (const session of ['a', 'b']) await store.open(session)
    await store.open('c', { owner: 'n1', ms: 60_000 })
    await store.open('d', { owner: 'n1', ms: 1 })
    await pause(500)
    await append(store, 'b', 1, 0, ['one'])
    expect(await store.prune(60_000)).toBe(0)
    expect(await store.prune(450)).toBe(1)
    expect(await store.info('a')).toBe(undefined)
    expect((await store.info('b'))?.tail).toBe(1)
    expect((await store.info('c'))?.epoch).toBe(1)
    // Its run was lost and can be resumed.
    expect((await store.info('d'))?.epoch).toBe(1)
  },

  'sessions with a kept head are not pruned, and hide no others': async (store, expect) => {
    const names = Array.from({ length: 130 }, (_, index) => `s${index}`)
    for (const [index, session] of names.entries()) {
      await store.open(session)
      await append(store, session, 1, 0, [], index % 13 === 5 ? 'other' : 'kept')
    }
    await store.open('bare')
    // The clock of a store may run ahead by a millisecond for each write, so that no two have the same time.
    await pause(2 * names.length + 50)
    expect(await store.prune(1, (head) => head !== 'other')).toBe(10)
    expect((await store.list({ limit: 1, offset: 0 })).total).toBe(121)
    expect(await store.prune(1, (head) => head === 'kept')).toBe(1)
    expect(await store.info('bare')).toBe(undefined)
    expect(await store.prune(1)).toBe(120)
  },
}
