import { type StoreCheck, append, failure, ownedBy, ownerOf, pause } from './store-helpers.ts'

/** Checks of sessions: opening, listing, owners and removal. */
export const sessions: Readonly<Record<string, StoreCheck>> = {
  'a new session has an empty log and the first epoch': async (store, expect) => {
    const info = await store.open('a')
    const { log } = info
    const empty = { session: 'a', log, generation: 1, tail: 0, earliest: 1, epoch: 1 }
    expect(info).toEqual({ ...empty, inbox: 0, pending: 0, head: undefined, owner: null })
    expect(await store.info('a')).toEqual(info)
  },

  'of concurrent opens with the same state, one succeeds': async (store, expect) => {
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

  'sessions are listed by their last write, newest first': async (store, expect) => {
    for (const session of ['a', 'b', 'c']) {
      await store.open(session)
      await append(store, session, 1, 0, ['one'], `of ${session}`)
    }
    await append(store, 'a', 1, 1, ['two'], 'again')
    const { rows, total } = await store.list({ limit: 2, offset: 0 })
    expect(total).toBe(3)
    expect(rows).toEqual([
      { session: 'a', tail: 2, head: 'again', owner: null },
      { session: 'c', tail: 1, head: 'of c', owner: null },
    ])
    expect((await store.list({ limit: 2, offset: 2 })).rows.length).toBe(1)
  },

  'a session that is opened again or appended to quietly stays where it is in the list': async (
    store,
    expect,
  ) => {
    const names = async () => {
      const { rows } = await store.list({ limit: 10, offset: 0 })
      return rows.map(({ session }) => session)
    }
    for (const session of ['a', 'b', 'c']) await store.open(session, undefined, 0, 'ann')
    expect(await names()).toEqual(['c', 'b', 'a'])
    const { epoch } = await store.open('a', { owner: 'n1', ms: 60_000 })
    const part = { collection: 'runs', number: 1, frame: 0, body: 'kept' }
    const commands = [{ key: 'k', body: '', isPending: false }]
    const changes = { head: 'of a', parts: [part], commands, lease: 'release' } as const
    await store.append({ session: 'a', epoch, tail: 0, lines: [], ...changes, isQuiet: true })
    expect(await names()).toEqual(['c', 'b', 'a'])
    const { rows } = await store.list({ limit: 10, offset: 0, owner: 'ann' })
    expect(rows.map(({ session, head }) => [session, head])).toEqual([
      ['c', undefined],
      ['b', undefined],
      ['a', 'of a'],
    ])
    await append(store, 'a', epoch, 0, ['one'])
    expect(await names()).toEqual(['a', 'c', 'b'])
  },

  'a session keeps the owner that it was created with': async (store, expect) => {
    expect((await store.open('a', undefined, 0, 'ann')).owner).toBe('ann')
    expect((await store.open('b')).owner).toBe(null)
    await append(store, 'a', 1, 0, ['one', 'two'], 'head')
    expect(await ownerOf(store, 'a')).toBe('ann')
    expect((await store.open('a', { owner: 'n1', ms: 60_000 }, 1)).owner).toBe('ann')
    expect((await store.open('a', { owner: 'n2', ms: 1 }, 2, 'bob')).owner).toBe('ann')
    expect((await store.open('b', undefined, 1, 'bob')).owner).toBe(null)
    await append(store, 'a', 3, 2, ['three'], 'head')
    expect(await ownedBy(store, 'ann')).toBe('a of 1')
    expect(await ownedBy(store, 'bob')).toBe(' of 0')
  },

  'sessions are listed by owner, in pages, with how many the owner has': async (store, expect) => {
    const owners = { a: 'ann', b: 'bob', c: 'ann', d: null, e: 'ann' }
    for (const [session, owner] of Object.entries(owners)) {
      await store.open(session, undefined, 0, owner)
      await append(store, session, 1, 0, ['one'], `of ${session}`)
    }
    await append(store, 'a', 1, 1, ['two'], 'again')
    expect(await ownedBy(store, 'ann', 2)).toBe('a e of 3')
    expect(await ownedBy(store, 'ann', 2, 2)).toBe('c of 3')
    expect(await ownedBy(store, 'ann', 2, 4)).toBe(' of 3')
    expect(await ownedBy(store, 'ann', 0)).toBe(' of 3')
    expect(await ownedBy(store, 'bob')).toBe('b of 1')
    expect(await ownedBy(store, 'an')).toBe(' of 0')
    const { rows, total } = await store.list({ limit: 10, offset: 0 })
    expect(total).toBe(5)
    expect(rows.map(({ session, owner }) => [session, owner])).toEqual([
      ['a', 'ann'],
      ['e', 'ann'],
      ['d', null],
      ['c', 'ann'],
      ['b', 'bob'],
    ])
    const { rows: own } = await store.list({ limit: 1, offset: 0, owner: 'ann' })
    expect(own).toEqual([{ session: 'a', tail: 2, head: 'again', owner: 'ann' }])
  },

  'a session that begins again may have another owner': async (store, expect) => {
    await store.open('a', undefined, 0, 'ann')
    await append(store, 'a', 1, 0, ['one'])
    await store.remove('a')
    expect(await ownedBy(store, 'ann')).toBe(' of 0')
    const { epoch, owner } = await store.open('a', undefined, 0, 'bob')
    expect(owner).toBe('bob')
    await append(store, 'a', epoch, 0, ['one'])
    expect(await ownedBy(store, 'ann')).toBe(' of 0')
    expect(await ownedBy(store, 'bob')).toBe('a of 1')
    await store.remove('a')
    expect((await store.open('a')).owner).toBe(null)
    expect(await ownedBy(store, 'bob')).toBe(' of 0')
  },

  'pruned sessions are not listed for their owners any more': async (store, expect) => {
    await store.open('a', undefined, 0, 'ann')
    await store.open('b', { owner: 'n1', ms: 60_000 }, 0, 'ann')
    await pause()
    expect(await store.prune(1)).toBe(1)
    expect(await ownedBy(store, 'ann')).toBe('b of 1')
  },

  'any text of up to 200 characters without control characters is an owner': async (
    store,
    expect,
  ) => {
    const owners = [
      'x'.repeat(200),
      'a:b/{c}%',
      'Ünal Öz',
      '日本',
      '0',
      'a',
      'A',
      ' a',
      'a ',
      'a\u200b',
    ]
    for (const [index, owner] of owners.entries()) {
      await store.open(`s${index}`, undefined, 0, owner)
      expect(await ownedBy(store, owner)).toBe(`s${index} of 1`)
    }
    for (const owner of ['', 'x'.repeat(201), 'a\u0000', 'a\n', '\uD800']) {
      expect(await failure(store.open('bad', undefined, 0, owner))).toBe('bad_request')
      expect(await failure(store.list({ limit: 1, offset: 0, owner }))).toBe('bad_request')
    }
    expect(await store.info('bad')).toBe(undefined)
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
}
