import { expect, test } from 'vitest'
import { onAbort, awaitOrAbort } from './index.ts'

test('calls back once at the abort, at once after it, and not after the removal', () => {
  const stop = new AbortController()
  const calls: string[] = []
  onAbort(undefined, () => calls.push('none'))
  onAbort(stop.signal, () => calls.push('kept'))
  onAbort(stop.signal, () => calls.push('removed'))()
  expect(calls).toEqual([])
  stop.abort()
  onAbort(stop.signal, () => calls.push('late'))
  expect(calls).toEqual(['kept', 'late'])
})

test('waits for a promise, unless the signal aborts before it settles', async () => {
  const stop = new AbortController()
  expect(await awaitOrAbort(Promise.resolve(1), stop.signal)).toBe(1)
  const waiting = awaitOrAbort(new Promise(() => {}), stop.signal)
  stop.abort()
  expect(await waiting).toBe(undefined)
  expect(await awaitOrAbort(Promise.resolve(1), stop.signal)).toBe(undefined)
  const failing = awaitOrAbort(Promise.reject(new Error('failed')), new AbortController().signal)
  await expect(failing).rejects.toThrow('failed')
})
