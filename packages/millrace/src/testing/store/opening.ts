import { type StoreCheck, append, failure } from './store-helpers.ts'

/** Checks of opening sessions. */
export const opening: Readonly<Record<string, StoreCheck>> = {
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
}
