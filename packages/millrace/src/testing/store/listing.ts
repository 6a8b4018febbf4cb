import type { StoreCheck } from './store-check.ts'
import { append } from './store-helpers.ts'

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
}
