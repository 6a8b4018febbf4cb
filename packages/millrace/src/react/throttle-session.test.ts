import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createSession } from '../client/transport/http/http-session.ts'
import { throttleSession } from './throttle-session.ts'

/** A session that reports changes manually. */
function createNotifier() {
  const listeners = new Set<() => void>()
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  const session = { ...createSession({ url: 'http://mill.example' }), subscribe }
  return { session, listeners, notify: () => listeners.forEach((listener) => listener()) }
}

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

test('the first change is reported at once, the following ones together, the last one always', () => {
  const { session, notify } = createNotifier()
  const listener = vi.fn()
  throttleSession(session, 50).subscribe(listener)
  for (let change = 0; change < 99; change++) {
    notify()
    vi.advanceTimersByTime(1)
  }
  expect(listener).toHaveBeenCalledTimes(2)
  vi.advanceTimersByTime(50)
  expect(listener).toHaveBeenCalledTimes(3)
  vi.advanceTimersByTime(500)
  expect(listener).toHaveBeenCalledTimes(3)
  notify()
  expect(listener).toHaveBeenCalledTimes(4)
})

test('all listeners share one schedule, and the subscription ends with the last one', () => {
  const { session, listeners, notify } = createNotifier()
  const slow = throttleSession(session, 50)
  const [first, second] = [vi.fn(), vi.fn()]
  const leaves = [first, second].map((listener) => slow.subscribe(listener))
  notify()
  notify()
  expect([first, second].map(({ mock }) => mock.calls.length)).toEqual([1, 1])
  for (const leave of leaves) leave()
  expect(listeners.size).toBe(0)
  expect(vi.getTimerCount()).toBe(0)
  vi.advanceTimersByTime(100)
  expect(first).toHaveBeenCalledTimes(1)
  slow.subscribe(first)
  notify()
  expect(first).toHaveBeenCalledTimes(2)
})

test('all other members are those of the session', () => {
  const { session } = createNotifier()
  const slow = throttleSession(session, 50)
  expect(slow.getSnapshot()).toBe(session.getSnapshot())
  expect([slow.id, slow.run, slow.close]).toEqual([session.id, session.run, session.close])
})
