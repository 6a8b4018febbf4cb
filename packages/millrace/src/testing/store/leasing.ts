import { type StoreCheck, change, failure, pause } from './store-helpers.ts'

/** Checks of leases. */
export const leasing: Readonly<Record<string, StoreCheck>> = {
  'a lease lasts as long as it is renewed, and lapses otherwise': async (store, expect) => {
    await store.open('a', { owner: 'n1', ms: 60_000 })
    await store.open('b', { owner: 'n2', ms: 1 })
    await store.open('c')
    await pause()
    expect((await store.leases(10)).rows).toEqual([
      { session: 'b', owner: 'n2', hasLapsed: true },
      { session: 'a', owner: 'n1', hasLapsed: false },
    ])
    expect((await store.leases(1)).rows.length).toBe(1)
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
    const held = (await store.leases(10)).rows
    expect(held.map(({ session, hasLapsed }) => `${session} ${hasLapsed}`)).toEqual([
      'a false',
      'b false',
    ])
  },

  'pages of leases have each one, in the order in which they lapse': async (store, expect) => {
    const names = Array.from({ length: 7 }, (_, index) => `s${index}`)
    for (const [index, name] of names.entries())
      await store.open(name, { owner: 'n1', ms: index < 4 ? 1 : 60_000 + index })
    await pause()
    const found: string[] = []
    let after: string | undefined
    do {
      const { rows, next } = await store.leases(3, after)
      found.push(...rows.map(({ session, hasLapsed }) => `${session} ${hasLapsed}`))
      // A listed lease is renewed, and occurs again in a later page.
      if (after === undefined) await store.renew('s0', 1, { owner: 'n1', ms: 120_000 })
      after = next
    } while (after !== undefined)
    expect(found).toEqual([...names.map((name, index) => `${name} ${index < 4}`), 's0 false'])
  },

  'a lease is released with an append, and ends when another writer opens': async (
    store,
    expect,
  ) => {
    await store.open('a', { owner: 'n1', ms: 60_000 })
    await store.append({ session: 'a', epoch: 1, tail: 0, lines: [], lease: 'release' })
    expect((await store.leases(10)).rows.length).toBe(0)
    await store.open('b', { owner: 'n1', ms: 60_000 })
    await store.open('b')
    expect((await store.leases(10)).rows.length).toBe(0)
  },

  'the same changes with another lease, log or inbox are another append': async (store, expect) => {
    await store.open('a', { owner: 'n1', ms: 60_000 })
    await change(store, 'a', { head: 'h' })
    expect(await failure(change(store, 'a', { head: 'h', log: 'another' }))).toBe('lease_lost')
    expect(await failure(change(store, 'a', { head: 'h', inbox: 1 }))).toBe('conflict')
    await change(store, 'a', { head: 'h', lease: 'release' })
    expect((await store.info('a'))?.lease).toBe(undefined)
  },

  'a renewal after the release of its lease fails': async (store, expect) => {
    await store.open('a', { owner: 'n1', ms: 60_000 })
    await store.append({ session: 'a', epoch: 1, tail: 0, lines: [], lease: 'release' })
    await store.renew('a', 1, { owner: 'n1', ms: 60_000 })
    expect((await store.leases(10)).rows.length).toBe(0)
    expect((await store.info('a'))?.lease).toBe(undefined)
  },

  'only the current writer renews': async (store, expect) => {
    await store.open('a', { owner: 'n1', ms: 60_000 })
    await store.open('a', { owner: 'n2', ms: 60_000 })
    expect(await failure(store.renew('a', 1, { owner: 'n1', ms: 60_000 }))).toBe('lease_lost')
    expect(await failure(store.renew('x', 1, { owner: 'n1', ms: 60_000 }))).toBe('not_found')
    expect((await store.leases(10)).rows[0]?.owner).toBe('n2')
  },
}
