import { type StoreCheck, append, failure, pause, readAll, texts } from './store-helpers.ts'

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

  'a request for one log never reads another one': async (store, expect) => {
    const { log } = await store.open('a')
    const { signal } = new AbortController()
    await append(store, 'a', 1, 0, ['one'])
    expect((await store.read('a', 0, 10, log)).length).toBe(1)
    await store.wait('a', 0, signal, log)
    const wait = failure(store.wait('a', 1, signal, log))
    await pause()
    await store.remove('a')
    const again = await store.open('a')
    await append(store, 'a', again.epoch, 0, ['new one', 'new two', 'new three'])
    expect(await wait).toBe('not_found')
    expect(await failure(store.read('a', 1, 10, log))).toBe('log_replaced')
    expect(await failure(store.wait('a', 1, signal, log))).toBe('log_replaced')
    expect((await store.read('a', 1, 10, again.log)).length).toBe(2)
    const late = { session: 'a', epoch: again.epoch, tail: 3, lines: [] }
    expect(await failure(store.append({ ...late, log }))).toBe('lease_lost')
    expect((await store.append({ ...late, log: again.log })).tail).toBe(3)
    const lease = { owner: 'n1', ms: 60_000 }
    expect(await failure(store.renew('a', again.epoch, lease, log))).toBe('lease_lost')
    await store.renew('a', again.epoch, lease, again.log)
  },
}
