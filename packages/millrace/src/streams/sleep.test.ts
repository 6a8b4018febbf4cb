import { expect, test } from 'vitest'
import { sleep } from './index.ts'

test.each([Infinity, 2 ** 31])('waits %d ms until the signal aborts', async (ms) => {
  const stop = new AbortController()
  let isOver = false
  const waiting = sleep(ms, stop.signal).then(() => (isOver = true))
  await sleep(20, new AbortController().signal)
  expect(isOver).toBe(false)
  stop.abort()
  await waiting
  expect(isOver).toBe(true)
})

test('does not wait for an aborted signal', async () => {
  await sleep(Infinity, AbortSignal.abort())
})
