import { type StoreCheck, append, failure, ownedBy, ownerOf, pause } from './store-helpers.ts'

/** Checks of owners of sessions. */
export const owning: Readonly<Record<string, StoreCheck>> = {
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
}
