import { MAX_HEAD_BYTES } from '../../stores/port/index.ts'
import { type StoreCheck, append, failure, texts } from './store-helpers.ts'

/** Checks of appends. */
export const writing: Readonly<Record<string, StoreCheck>> = {
  'ids are 1, 2, 3 … for appends of any size': async (store, expect) => {
    await store.open('a')
    expect(await append(store, 'a', 1, 0, ['one'])).toBe(1)
    expect(await append(store, 'a', 1, 1, ['two', 'three'])).toBe(3)
    expect(await append(store, 'a', 1, 3, [])).toBe(3)
    expect(texts(await store.read('a', 0, 10))).toEqual(['1 one', '2 two', '3 three'])
  },

  'an append with another tail is a conflict and stores nothing': async (store, expect) => {
    await store.open('a')
    await append(store, 'a', 1, 0, ['one'])
    expect(await failure(append(store, 'a', 1, 0, ['again']))).toBe('conflict')
    expect(await failure(append(store, 'a', 1, 2, ['ahead'], 'lost'))).toBe('conflict')
    expect(texts(await store.read('a', 0, 10))).toEqual(['1 one'])
    expect((await store.info('a'))?.head).toBe(undefined)
  },

  'a superseded writer is rejected and stores nothing': async (store, expect) => {
    await store.open('a')
    await append(store, 'a', 1, 0, ['one'])
    expect((await store.open('a')).epoch).toBe(2)
    expect(await failure(append(store, 'a', 1, 1, ['zombie'], 'lost'))).toBe('lease_lost')
    expect(await append(store, 'a', 2, 1, ['two'])).toBe(2)
    expect(texts(await store.read('a', 0, 10))).toEqual(['1 one', '2 two'])
  },

  'of concurrent appends with the same tail, one is stored': async (store, expect) => {
    await store.open('a')
    const racers = Array.from({ length: 20 }, (_, n) => append(store, 'a', 1, 0, [`racer ${n}`]))
    const outcomes = await Promise.all(racers.map(failure))
    expect(outcomes.filter((outcome) => outcome === 'stored').length).toBe(1)
    expect(outcomes.filter((outcome) => outcome === 'conflict').length).toBe(19)
    expect((await store.info('a'))?.tail).toBe(1)
  },

  'the head changes with the frames of its append, or alone': async (store, expect) => {
    await store.open('a')
    await append(store, 'a', 1, 0, ['one'], 'first')
    expect((await store.info('a'))?.head).toBe('first')
    await append(store, 'a', 1, 1, ['two'])
    expect((await store.info('a'))?.head).toBe('first')
    await append(store, 'a', 1, 2, [], 'second')
    expect((await store.open('a')).head).toBe('second')
  },

  'a head that is too long is rejected, and nothing is stored': async (store, expect) => {
    await store.open('a')
    const longest = 'ü'.repeat(MAX_HEAD_BYTES / 2)
    expect(await append(store, 'a', 1, 0, ['one'], longest)).toBe(1)
    expect(await failure(append(store, 'a', 1, 1, ['two'], `${longest}x`))).toBe('internal')
    expect((await store.info('a'))?.head).toBe(longest)
    expect((await store.info('a'))?.tail).toBe(1)
  },

  'sessions are independent': async (store, expect) => {
    await store.open('a')
    await store.open('b')
    await append(store, 'a', 1, 0, ['of a'])
    await append(store, 'b', 1, 0, ['of b', 'more'])
    expect(texts(await store.read('a', 0, 10))).toEqual(['1 of a'])
    expect(texts(await store.read('b', 0, 10))).toEqual(['1 of b', '2 more'])
  },
}
