import {
  type StoreCheck,
  append,
  failure,
  returnUndefined,
  pause,
  identity,
} from './store-helpers.ts'

/** Checks of waiting readers. */
export const waiting: Readonly<Record<string, StoreCheck>> = {
  'a wait ends at once if there are frames to read': async (store) => {
    await store.open('a')
    await append(store, 'a', 1, 0, ['one'])
    await store.wait('a', 0, new AbortController().signal)
  },

  'an append wakes all waiting readers, a head alone does not': async (store, expect) => {
    await store.open('a')
    const { signal } = new AbortController()
    let woken = 0
    const waits = Array.from({ length: 3 }, () => store.wait('a', 0, signal).then(() => woken++))
    await append(store, 'a', 1, 0, [], 'head')
    await pause()
    expect(woken).toBe(0)
    await append(store, 'a', 1, 0, ['one'])
    await Promise.all(waits)
    expect(woken).toBe(3)
  },

  'a wait ends with the reason of its signal': async (store, expect) => {
    await store.open('a')
    const controller = new AbortController()
    const reason = new Error('enough')
    const wait = store
      .wait('a', 0, controller.signal)
      .then(returnUndefined, (error: unknown) => error)
    controller.abort(reason)
    expect(await wait).toBe(reason)
    expect(await store.wait('a', 0, controller.signal).then(returnUndefined, identity)).toBe(reason)
  },

  'a wait does not outlive the store': async (store, expect) => {
    await store.open('a')
    const wait = failure(store.wait('a', 0, new AbortController().signal))
    await pause()
    await store.close()
    expect(await wait).toBe('internal')
  },
}
