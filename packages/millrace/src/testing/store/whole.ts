import { type StoreCheck, failure } from './store-helpers.ts'

/** Checks of a store as a whole. */
export const whole: Readonly<Record<string, StoreCheck>> = {
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
}
