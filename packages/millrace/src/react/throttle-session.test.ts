import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createSession } from '../client/create-session.ts'
import { throttleSession } from './throttle-session.ts'

/** A session that reports changes manually. */
function createTeller() {
  const listeners = new Set<() => void>()
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  const session = { ...createSession({ url: 'http://mill.example' }), subscribe }
  return { session, listeners, tell: () => listeners.forEach((listener) => listener()) }
}

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

test('the first change is reported at once, the following ones together, the last one always', () => {
  const { session, tell } = createTeller()
  const listener = vi.fn()
  throttleSession(session, 50).subscribe(listener)
  for (let change = 0; change < 99; change++) {
    tell()
    vi.advanceTimersByTime(1)
  }
  expect(listener).toHaveBeenCalledTimes(2)
  vi.advanceTimersByTime(50)
  expect(listener).toHaveBeenCalledTimes(3)
  vi.advanceTimersByTime(500)
  expect(listener).toHaveBeenCalledTimes(3)
  tell()
  expect(listener).toHaveBeenCalledTimes(4)
})

test('all listeners share one schedule, and the subscription ends with the last one', () => {
  const { session, listeners, tell } = createTeller()
  const slow = throttleSession(session, 50)
  const [first, second] = [vi.fn(), vi.fn()]
  const leaves = [first, second].map((listener) => slow.subscribe(listener))
  tell()
  tell()
  expect([first, second].map(({ mock }) => mock.calls.length)).toEqual([1, 1])
  for (const leave of leaves) leave()
  expect(listeners.size).toBe(0)
  expect(vi.getTimerCount()).toBe(0)
  vi.advanceTimersByTime(100)
  expect(first).toHaveBeenCalledTimes(1)
  slow.subscribe(first)
  tell()
  expect(first).toHaveBeenCalledTimes(2)
})

test('all other members are those of the session', () => {
  const { session } = createTeller()
  const slow = throttleSession(session, 50)
  expect(slow.getSnapshot()).toBe(session.getSnapshot())
  expect([slow.id, slow.run, slow.close]).toEqual([session.id, session.run, session.close])
})
