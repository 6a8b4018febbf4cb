import { MAX_HEAD_BYTES } from '../../stores/port/index.ts'
import { type StoreCheck, append, failure, pause, readAll, texts } from './store-helpers.ts'

/** Checks of a log: appends, reads and waiting readers. */
export const log: Readonly<Record<string, StoreCheck>> = {
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

  'pages join to the whole log from every cursor': async (store, expect) => {
    await store.open('a')
    const lines = Array.from({ length: 25 }, (_, n) => `line ${n + 1}`)
    await append(store, 'a', 1, 0, lines)
    for (const limit of [1, 4, 25, 100]) {
      for (let cursor = 0; cursor <= 25; cursor++) {
        const rest = lines.slice(cursor).map((line, n) => `${cursor + n + 1} ${line}`)
        expect(texts(await readAll(store, 'a', cursor, limit))).toEqual(rest)
      }
    }
  },

  'any bytes are restored unchanged': async (store, expect) => {
    await store.open('a')
    const line = Uint8Array.from({ length: 512 }, (_, n) => n % 256)
    await store.append({ session: 'a', epoch: 1, tail: 0, lines: [line] })
    const [entry] = await store.read('a', 0, 1)
    expect(Array.from(entry?.line ?? [])).toEqual(Array.from(line))
  },

  'there is nothing after the tail': async (store, expect) => {
    await store.open('a')
    expect((await store.read('a', 0, 10)).length).toBe(0)
    await append(store, 'a', 1, 0, ['one'])
    expect((await store.read('a', 1, 10)).length).toBe(0)
  },

  'trimmed frames cannot be read, and nothing else changes': async (store, expect) => {
    await store.open('a', { owner: 'n1', ms: 60_000 }, 0, 'ann')
    await append(store, 'a', 1, 0, ['one', 'two', 'three'], 'head')
    const before = await store.info('a')
    await store.trim('a', 3)
    expect(await store.info('a')).toEqual({ ...before, earliest: 3 })
    expect(await failure(store.read('a', 1, 10))).toBe('cursor_trimmed')
    expect(texts(await store.read('a', 2, 10))).toEqual(['3 three'])
  },

  'an unknown session can be neither written nor read': async (store, expect) => {
    expect(await failure(append(store, 'a', 1, 0, ['x']))).toBe('not_found')
    expect(await failure(store.read('a', 0, 10))).toBe('not_found')
    expect(await store.info('a')).toBe(undefined)
  },

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
    const reasonOf = (wait: Promise<void>): Promise<unknown> =>
      wait.then(
        () => undefined,
        (error: unknown) => error,
      )
    const wait = reasonOf(store.wait('a', 0, controller.signal))
    controller.abort(reason)
    expect(await wait).toBe(reason)
    expect(await reasonOf(store.wait('a', 0, controller.signal))).toBe(reason)
  },

  'a wait does not outlive the store': async (store, expect) => {
    await store.open('a')
    const wait = failure(store.wait('a', 0, new AbortController().signal))
    await pause()
    await store.close()
    expect(await wait).toBe('internal')
  },
}
