import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isMillraceError } from '../../errors/index.ts'
import { testStore } from '../../testing/test-store.ts'
import { createMemoryStore } from './index.ts'

describe('the contract of a store', () => {
  testStore({ test, expect }, () => createMemoryStore())
})

const lines = (count: number, from = 1): Uint8Array[] =>
  Array.from({ length: count }, (_, n) => new TextEncoder().encode(String(from + n)))

const codeOf = (error: unknown): string => (isMillraceError(error) ? error.code : String(error))

test('the newest frames are kept, and ids continue without gaps', async () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(sizes, fc.integer({ min: 1, max: 50 }), async (appends, kept) => {
      const store = createMemoryStore({ maxMessagesPerSession: kept })
      await store.open('a')
      let tail = 0
      for (const size of appends) {
        const group = { session: 'a', epoch: 1, tail, lines: lines(size, tail + 1) }
        tail = (await store.append(group)).tail
      }
      const info = await store.info('a')
      const earliest = Math.max(1, tail - kept + 1)
      expect(info).toMatchObject({ tail, earliest })
      const page = await store.read('a', earliest - 1, 1_000)
      expect(page.map(({ id, line }) => [id, new TextDecoder().decode(line)])).toEqual(
        Array.from({ length: tail - earliest + 1 }, (_, n) => [earliest + n, `${earliest + n}`]),
      )
    }),
    { numRuns: 100 },
  )
})

test('a reader that was overtaken by trimming gets the earliest frame id', async () => {
  const store = createMemoryStore({ maxMessagesPerSession: 3 })
  await store.open('a')
  await store.append({ session: 'a', epoch: 1, tail: 0, lines: lines(10) })
  const error: unknown = await store.read('a', 2, 5).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'cursor_trimmed', details: { earliest: 8 } })
})

test('the session with the oldest write is evicted, and its readers are notified', async () => {
  const store = createMemoryStore({ maxSessions: 2 })
  await store.open('a')
  await store.open('b')
  await store.append({ session: 'a', epoch: 1, tail: 0, lines: lines(1) })
  const reader = store.wait('b', 0, new AbortController().signal).catch(codeOf)
  await store.open('c')
  expect(await reader).toBe('not_found')
  expect(await store.info('b')).toBeUndefined()
  expect((await store.info('a'))?.tail).toBe(1)
})
