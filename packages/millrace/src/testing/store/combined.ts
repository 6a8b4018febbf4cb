import type { SessionInfo } from '../../stores/port/index.ts'
import { type StoreCheck, append, change, failure, pause } from './store-helpers.ts'

/** Checks of a store as a whole, and those that need several ports. */
export const combined: Readonly<Record<string, StoreCheck>> = {
  'a copy of the object behaves like the store': async (store, expect) => {
    const copy = { ...store }
    await copy.open('a')
    expect((await copy.info('a'))?.epoch).toBe(1)
    await copy.ping()
  },

  'an open store answers a ping, a closed one does not': async (store, expect) => {
    await store.ping()
    await store.close()
    expect(await failure(store.ping())).toBe('internal')
  },

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

  'a request for one log never reads another one': async (store, expect) => {
    const { log } = await store.open('a')
    const { signal } = new AbortController()
    await append(store, 'a', 1, 0, ['one'])
    expect((await store.read('a', 0, 10, log)).length).toBe(1)
    await store.wait('a', 0, signal, log)
    const wait = failure(store.wait('a', 1, signal, log))
    await pause()
    await store.remove('a')
    const again = await store.open('a')
    await append(store, 'a', again.epoch, 0, ['new one', 'new two', 'new three'])
    expect(await wait).toBe('not_found')
    expect(await failure(store.read('a', 1, 10, log))).toBe('log_replaced')
    expect(await failure(store.wait('a', 1, signal, log))).toBe('log_replaced')
    expect((await store.read('a', 1, 10, again.log)).length).toBe(2)
    const late = { session: 'a', epoch: again.epoch, tail: 3, lines: [] }
    expect(await failure(store.append({ ...late, log }))).toBe('lease_lost')
    expect((await store.append({ ...late, log: again.log })).tail).toBe(3)
    const lease = { owner: 'n1', ms: 60_000 }
    expect(await failure(store.renew('a', again.epoch, lease, log))).toBe('lease_lost')
    await store.renew('a', again.epoch, lease, again.log)
  },

  'a renewal returns the version of the inbox': async (store, expect) => {
    await store.open('a', { owner: 'n1', ms: 60_000 })
    const lease = { owner: 'n1', ms: 60_000 }
    const { inbox } = await store.renew('a', 1, lease)
    await store.submit('a', { key: 'k', body: 'b' })
    expect((await store.renew('a', 1, lease)).inbox).toBe(inbox + 1)
  },

  'a fenced append changes nothing': async (store, expect) => {
    await store.open('a', { owner: 'n1', ms: 60_000 })
    await store.open('a', { owner: 'n2', ms: 60_000 })
    const late = { session: 'a', epoch: 1, tail: 0, lines: [] }
    const parts = [{ collection: 'runs', number: 1, frame: 0, body: 'late' }]
    const commands = [{ key: 'late', body: '', isPending: true }]
    const changes = { head: 'late', parts, commands, lease: 'release' } as const
    expect(await failure(store.append({ ...late, ...changes }))).toBe('lease_lost')
    expect((await store.leases(10)).rows.length).toBe(1)
    expect(await store.parts('a', 'runs', { after: 0, limit: 10 })).toEqual([])
    expect(await store.command('a', 'late')).toBe(undefined)
    expect((await store.info('a'))?.head).toBe(undefined)
  },

  'a branch shares the files that were stored before its fork point': async (store, expect) => {
    await store.open('p')
    await append(store, 'p', 1, 0, ['a', 'b', 'c', 'd'])
    const file = (id: string, byte: number) => ({
      id,
      mediaType: 'text/plain',
      bytes: Uint8Array.of(byte),
    })
    await store.putFile('p', file('early', 1))
    await append(store, 'p', 1, 4, ['e'])
    await store.putFile('p', file('late', 2))
    await store.fork({ from: 'p', frame: 4, to: 'x', head: '' })
    await store.putFile('x', file('own', 3))
    expect([...(await store.fileIds('x'))].sort()).toEqual(['early', 'own'])
    expect(Array.from((await store.file('x', 'early'))?.bytes ?? [])).toEqual([1])
    expect(await store.file('x', 'late')).toBe(undefined)
    expect(await store.file('p', 'own')).toBe(undefined)
    await store.remove('p')
    expect(Array.from((await store.file('x', 'early'))?.bytes ?? [])).toEqual([1])
  },

  'a branch has its own inbox, claims and lease': async (store, expect) => {
    await store.open('p')
    await append(store, 'p', 1, 0, ['a', 'b', 'c', 'd'])
    await store.submit('p', { key: 'k', body: 'of p' })
    await store.claim('p', 'call', 'page', 60_000)
    const info = await store.fork({ from: 'p', frame: 4, to: 'x', head: '' })
    expect([info.inbox, info.pending]).toEqual([0, 0])
    expect(await store.command('x', 'k')).toBe(undefined)
    expect((await store.submit('x', { key: 'k', body: 'of x' })).isNew).toBe(true)
    expect((await store.claim('x', 'call', 'other', 60_000)).holder).toBe('other')
    await store.open('x', { owner: 'n1', ms: 60_000 })
    expect((await store.info('p'))?.lease).toBe(undefined)
    expect((await store.leases(10)).rows.map(({ session }) => session)).toEqual(['x'])
  },

  'a branch has the lease with which it was created': async (store, expect) => {
    await store.open('p')
    await append(store, 'p', 1, 0, ['a', 'b', 'c', 'd'])
    const held = await store.fork({
      from: 'p',
      frame: 2,
      to: 'x',
      head: '',
      lease: { owner: 'n1', ms: 60_000 },
    })
    expect(held.lease).toEqual({ owner: 'n1', hasLapsed: false })
    await store.fork({ from: 'p', frame: 2, to: 'y', head: '', lease: { owner: 'n2', ms: 0 } })
    await pause()
    expect((await store.leases(10)).rows).toEqual([
      { session: 'y', owner: 'n2', hasLapsed: true },
      { session: 'x', owner: 'n1', hasLapsed: false },
    ])
  },
}
