import type { Part } from '../../stores/port/index.ts'
import { type StoreCheck, append, change, failure } from './store-helpers.ts'

const part = (collection: string, number: number, body = `${number}`, frame = 0): Part => ({
  collection,
  number,
  frame,
  body,
})

/** Checks of session parts. */
export const parts: Readonly<Record<string, StoreCheck>> = {
  'parts are read in pages, in either direction': async (store, expect) => {
    await store.open('a')
    const numbers = [0, 1, 2, 3, 10, 11, 2 ** 33, Number.MAX_SAFE_INTEGER]
    const all = numbers.map((number) => part('runs', number))
    await change(store, 'a', { parts: all.toReversed() })
    for (const limit of [1, 3, 100]) {
      for (const number of numbers) {
        const above = all.filter((one) => one.number > number).slice(0, limit)
        expect(await store.parts('a', 'runs', { after: number, limit })).toEqual(above)
        const below = all
          .filter((one) => one.number < number)
          .toReversed()
          .slice(0, limit)
        expect(await store.parts('a', 'runs', { before: number, limit })).toEqual(below)
      }
    }
    expect(await store.parts('a', 'runs', { after: -1, limit: 100 })).toEqual(all)
    expect(await store.parts('a', 'other', { after: -1, limit: 100 })).toEqual([])
    expect(await store.parts('x', 'runs', { after: -1, limit: 100 })).toEqual([])
  },

  'a part is replaced and removed by its number, in the order of the append': async (
    store,
    expect,
  ) => {
    await store.open('a')
    await change(store, 'a', { parts: [part('c', 1, 'first'), part('d', 1, 'other')] })
    const quiet = {
      parts: [part('c', 1, 'second', 7), part('c', 2, 'two')],
      isQuiet: true,
    } as const
    await change(store, 'a', quiet)
    await change(store, 'a', {
      parts: [
        part('c', 3, 'draft'),
        part('c', 3, 'three'),
        { collection: 'c', number: 2, body: null },
        { collection: 'c', number: 99, body: null },
        part('c', 4),
        { collection: 'c', number: 4, body: null },
      ],
    })
    const found = await store.parts('a', 'c', { after: 0, limit: 10 })
    expect(found).toEqual([part('c', 1, 'second', 7), part('c', 3, 'three')])
    expect((await store.parts('a', 'd', { after: 0, limit: 10 }))[0]?.body).toBe('other')
  },

  'bodies are restored unchanged, whatever their length': async (store, expect) => {
    await store.open('a')
    const bodies = ['', 'ü\u0000\n"', '👩🏽‍💻'.repeat(1_000), 'x'.repeat(3_000_000)]
    const all = bodies.map((body, number) => part('c', number, body))
    await change(store, 'a', { parts: all })
    const found = await store.parts('a', 'c', { after: -1, limit: 10 })
    expect(found.map(({ body }) => body.length)).toEqual(bodies.map(({ length }) => length))
    expect(found.every(({ body }, index) => body === bodies[index])).toBe(true)
  },

  'parts are stored with the lines of their append, or not at all': async (store, expect) => {
    await store.open('a')
    await append(store, 'a', 1, 0, ['one'])
    const late = { tail: 0, head: 'late', parts: [part('c', 1)] }
    expect(await failure(change(store, 'a', late))).toBe('conflict')
    expect(await store.parts('a', 'c', { after: 0, limit: 10 })).toEqual([])
    expect((await store.info('a'))?.head).toBe(undefined)
  },

  'parts of sessions are independent, and belong to a log': async (store, expect) => {
    const { log } = await store.open('a')
    await store.open('b')
    await change(store, 'a', { parts: [part('c', 1, 'of a')] })
    await change(store, 'b', { parts: [part('c', 1, 'of b')] })
    expect((await store.parts('a', 'c', { after: 0, limit: 9 }, log))[0]?.body).toBe('of a')
    const other = store.parts('b', 'c', { after: 0, limit: 9 }, log)
    expect(await failure(other)).toBe('log_replaced')
  },
}
