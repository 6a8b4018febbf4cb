import { type StoreCheck, append } from './store-helpers.ts'

/** Checks of listing sessions. */
export const listing: Readonly<Record<string, StoreCheck>> = {
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
}
