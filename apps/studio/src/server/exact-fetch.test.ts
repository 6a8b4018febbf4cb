import { expect, test } from 'vitest'
import { createExactFetch } from './exact-fetch.ts'

/** Returns the requests to a server with a number of messages; undefined if it does not report it. */
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

test('a history is requested message by message unless it is long', async () => {
  expect(await ask('/agent/a/stream?cursor=0', 10)).toEqual([
    '/agent/a',
    '/agent/a/stream?cursor=0&compact=0',
  ])
  expect(await ask('/agent/a/stream?cursor=0', 11)).toEqual([
    '/agent/a',
    '/agent/a/stream?cursor=0',
  ])
})

test('a server that does not report the length receives a request for each message', async () => {
  expect((await ask('/agent/a/stream?cursor=0')).at(-1)).toBe('/agent/a/stream?cursor=0&compact=0')
})

test('missed messages are requested one by one, and other requests are unchanged', async () => {
  expect(await ask('/agent/a/stream?cursor=7', 99)).toEqual(['/agent/a/stream?cursor=7&compact=0'])
  expect(await ask('/agent/run', 99)).toEqual(['/agent/run'])
})
