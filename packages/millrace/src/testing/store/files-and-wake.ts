import { type StoreCheck, failure, pause } from './store-helpers.ts'

/** Checks of files. */
export const files: Readonly<Record<string, StoreCheck>> = {
  'files are restored unchanged, and the same id replaces': async (store, expect) => {
    await store.open('a')
    const bytes = Uint8Array.from({ length: 300 }, (_, n) => n % 256)
    const file = { id: 'img_1', mediaType: 'image/png', bytes }
    await store.putFile('a', file)
    const found = await store.file('a', 'img_1')
    expect(Array.from(found?.bytes ?? [])).toEqual(Array.from(bytes))
    expect(found?.mediaType).toBe('image/png')
    expect(found?.filename).toBe(undefined)
    await store.putFile('a', { ...file, filename: 'ü.png', bytes: Uint8Array.of(1) })
    expect((await store.file('a', 'img_1'))?.filename).toBe('ü.png')
    expect(Array.from((await store.file('a', 'img_1'))?.bytes ?? [])).toEqual([1])
    expect(await store.file('a', 'nope')).toBe(undefined)
    expect(await store.file('x', 'img_1')).toBe(undefined)
    expect(await failure(store.putFile('x', file))).toBe('not_found')
    await store.putFile('a', { ...file, id: 'f' })
    expect([...(await store.fileIds('a'))].sort()).toEqual(['f', 'img_1'])
    expect(await store.fileIds('x')).toEqual([])
  },
}

/** Checks of wake-ups. */
export const wake: Readonly<Record<string, StoreCheck>> = {
  'a command reaches all listeners, until they stop': async (store, expect) => {
    const heard: string[] = []
    const stop = store.onCommand((session, command) => heard.push(`${session} ${command}`))
    await pause()
    await store.send('a', 'stop')
    await pause()
    stop()
    await store.send('a', 'again')
    await pause()
    expect(heard).toEqual(['a stop'])
  },
}
