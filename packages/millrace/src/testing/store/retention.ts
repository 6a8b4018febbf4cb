import type { SessionInfo } from '../../stores/port/index.ts'
import { type StoreCheck, append, change, failure, pause } from './store-helpers.ts'

/** Checks of the removal of sessions. */
export const retention: Readonly<Record<string, StoreCheck>> = {
  'a removed session is gone with all its data, and may be opened again': async (store, expect) => {
    await store.open('a', { owner: 'n1', ms: 60_000 })
    await append(store, 'a', 1, 0, ['one'], 'head')
    await change(store, 'a', {
      tail: 1,
      parts: [{ collection: 'runs', number: 1, frame: 1, body: 'run' }],
      commands: [{ key: 'k', body: 'done', isPending: false }],
    })
    await store.submit('a', { key: 'p', body: 'pending' })
    await store.claim('a', 'call', 'page', 60_000)
    await store.putFile('a', { id: 'f', mediaType: 'text/plain', bytes: Uint8Array.of(1) })
    const wait = failure(store.wait('a', 1, new AbortController().signal))
    await pause()
    expect(await store.remove('a')).toBe(true)
    expect(await store.remove('a')).toBe(false)
    expect(await wait).toBe('not_found')
    expect(await store.info('a')).toBe(undefined)
    expect(await store.file('a', 'f')).toBe(undefined)
    expect((await store.leases(10)).rows.length).toBe(0)
    expect((await store.list({ limit: 10, offset: 0 })).total).toBe(0)
    expect((await store.open('a')).tail).toBe(0)
    expect(await store.parts('a', 'runs', { after: 0, limit: 10 })).toEqual([])
    expect(await store.command('a', 'k')).toBe(undefined)
    expect(await store.pending('a')).toEqual([])
    expect((await store.claim('a', 'call', 'other', 60_000)).holder).toBe('other')
  },

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

  'a session is removed only in the state in which it was seen': async (store, expect) => {
    const look = async () => (await store.info('a')) as SessionInfo
    await store.open('a')
    await append(store, 'a', 1, 0, ['one'])
    const first = await look()
    await store.submit('a', { key: 'k', body: '' })
    expect(await store.remove('a', first)).toBe(false)
    await store.settle('a', { key: 'k', body: '' })
    expect(await store.remove('a', first)).toBe(false)
    const second = await look()
    await append(store, 'a', 1, 1, ['two'])
    expect(await store.remove('a', second)).toBe(false)
    const third = await look()
    await store.open('a')
    expect(await store.remove('a', third)).toBe(false)
    const other = { ...(await look()), log: 'another log' }
    expect(await store.remove('a', other)).toBe(false)
    await store.open('a', { owner: 'n1', ms: 1 })
    expect(await store.remove('a', await look())).toBe(false)
    await change(store, 'a', { epoch: 3, tail: 2, lease: 'release' })
    expect((await look()).tail).toBe(2)
    expect(await store.remove('a', await look())).toBe(true)
    expect(await store.remove('a', third)).toBe(false)
  },

  'a branch is removed only in the state in which it was seen': async (store, expect) => {
    await store.open('a')
    await append(store, 'a', 1, 0, ['one'])
    const seen = await store.fork({ from: 'a', frame: 1, to: 'b', head: '' })
    await store.submit('b', { key: 'k', body: '' })
    expect(await store.remove('b', seen)).toBe(false)
    expect((await store.pending('b')).length).toBe(1)
    expect(await store.remove('b', { ...seen, inbox: 1 })).toBe(true)
    expect(await store.branches('a', 10)).toEqual([])
  },
}
