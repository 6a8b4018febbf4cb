import { expect, test } from 'vitest'
import { createExactFetch } from './exact-fetch.ts'

/** What is asked of a server that has so many messages, or does not tell. */
async function ask(url: string, tail?: number): Promise<readonly string[]> {
  const asked: string[] = []
  const fetch = createExactFetch({
    maxMessages: 10,
    fetch: async (address) => {
      asked.push(address)
      if (tail === undefined) return Response.json({ error: { code: 'x' } }, { status: 404 })
      return Response.json({ tail })
    },
  })
  await fetch(url, {})
  return asked
}

test('a history is asked for message by message, unless it is long', async () => {
  expect(await ask('/agent/a/stream?cursor=0', 10)).toEqual([
    '/agent/a',
    '/agent/a/stream?cursor=0&compact=0',
  ])
  expect(await ask('/agent/a/stream?cursor=0', 11)).toEqual([
    '/agent/a',
    '/agent/a/stream?cursor=0',
  ])
})

test('a server that does not tell how long it is, is asked for each message', async () => {
  expect((await ask('/agent/a/stream?cursor=0')).at(-1)).toBe('/agent/a/stream?cursor=0&compact=0')
})

test('what is missed later is asked for message by message, and other requests are left alone', async () => {
  expect(await ask('/agent/a/stream?cursor=7', 99)).toEqual(['/agent/a/stream?cursor=7&compact=0'])
  expect(await ask('/agent/run', 99)).toEqual(['/agent/run'])
})
