import { expect, test } from 'vitest'
import { createHistoryClock } from './history-clock.ts'
import { decodeTimes, fetchStoredTimes } from './stored-times.ts'

test('times are accepted as ordered pairs and never decrease', () => {
  const times = [
    [1, 100],
    [5, 90],
    [9, 200],
  ]
  expect(decodeTimes({ times })).toEqual([
    [1, 100],
    [5, 100],
    [9, 200],
  ])
  const odd = [
    null,
    {},
    { times: [] },
    { times: 1 },
    { times: [[1]] },
    {
      times: [
        [2, 1],
        [1, 2],
      ],
    },
  ]
  expect(odd.map(decodeTimes)).toEqual(odd.map(() => undefined))
})

test('requests times with the headers of the session, and accepts a server without them', async () => {
  const asked: unknown[] = []
  const ask = (status: number) =>
    fetchStoredTimes(
      {
        id: 'a b',
        options: {
          url: 'http://server/',
          headers: () => ({ authorization: 'Bearer t' }),
          fetch: (url, init) => {
            asked.push([url, init.headers])
            return Promise.resolve(new Response('{"times":[[1,2]]}', { status }))
          },
        },
      },
      1,
    )
  expect(await ask(200)).toEqual([[1, 2]])
  expect(await ask(404)).toBeUndefined()
  expect(asked[0]).toEqual([
    'http://server/agent/a%20b/times?limit=100',
    { authorization: 'Bearer t' },
  ])
})

test('requests a long history in pages, the newest first', async () => {
  const asked: string[] = []
  const parts = [
    { times: [[201, 5]], has_more: true },
    {
      times: [
        [101, 3],
        [201, 5],
      ],
      has_more: true,
    },
    { times: [[1, 2]], has_more: false },
  ]
  const times = await fetchStoredTimes(
    {
      id: 'a',
      options: {
        url: '',
        fetch: (url) => {
          asked.push(url)
          return Promise.resolve(Response.json(parts[asked.length - 1]))
        },
      },
    },
    250,
  )
  expect(asked.map((url) => url.split('?')[1])).toEqual([
    'limit=100',
    'limit=100&before=151',
    'limit=100&before=51',
  ])
  expect(times).toEqual([
    [1, 2],
    [101, 3],
    [201, 5],
  ])
})

test('frames in one burst are history, frames after a gap are not', async () => {
  let now = 0
  const clock = createHistoryClock({ now: () => now })
  const read = (time: number) => {
    now = time
    return clock.read().isTimed
  }
  expect([0, 10, 200, 300].map(read)).toEqual([false, false, false, false])
  expect([700, 710].map(read)).toEqual([true, true])
  await clock.finished
})
