import { type StoreCheck, append, failure, readAll, texts } from './store-helpers.ts'

/** Checks of reading a log. */
export const reading: Readonly<Record<string, StoreCheck>> = {
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
}
