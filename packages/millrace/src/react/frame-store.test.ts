import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { frameSubscribe } from './use-session.ts'

/** A session that only reports changes. */
function createNotifier() {
  const listeners = new Set<() => void>()
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  const notify = () => listeners.forEach((listener) => listener())
  return { session: { subscribe }, notify, listeners }
}

/** A visible page whose frames are drawn manually. */
function stubFrames(): () => void {
  let due: (() => void)[] = []
  vi.stubGlobal('document', { visibilityState: 'visible' })
  vi.stubGlobal('requestAnimationFrame', (callback: () => void) => due.push(callback))
  vi.stubGlobal('cancelAnimationFrame', (handle: number) => {
    due[handle - 1] = () => {}
  })
  return () => {
    const callbacks = due
    due = []
    for (const callback of callbacks) callback()
  }
}

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('notifications of components', () => {
  test('many changes between two animation frames cause one notification for each', () => {
    const drawFrame = stubFrames()
    const { session, notify } = createNotifier()
    const first = vi.fn()
    const second = vi.fn()
    frameSubscribe(session)(first)
    frameSubscribe(session)(second)
    for (let n = 0; n < 100; n++) notify()
    expect(first).not.toHaveBeenCalled()
    drawFrame()
    expect([first, second].map(({ mock }) => mock.calls.length)).toEqual([1, 1])
    drawFrame()
    expect(first).toHaveBeenCalledTimes(1)
    notify()
    drawFrame()
    expect(first).toHaveBeenCalledTimes(2)
  })

  test('a hidden page is notified too, less often', () => {
    vi.stubGlobal('document', { visibilityState: 'hidden' })
    const { session, notify } = createNotifier()
    const listener = vi.fn()
    frameSubscribe(session)(listener)
    notify()
    vi.advanceTimersByTime(1_000)
    expect(listener).toHaveBeenCalledTimes(1)
  })

  test('a page that is hidden before its animation frame is notified once', () => {
    const drawFrame = stubFrames()
    const { session, notify } = createNotifier()
    const listener = vi.fn()
    frameSubscribe(session)(listener)
    notify()
    vi.stubGlobal('document', { visibilityState: 'hidden' })
    vi.advanceTimersByTime(1_000)
    expect(listener).toHaveBeenCalledTimes(1)
    notify()
    vi.advanceTimersByTime(1_000)
    expect(listener).toHaveBeenCalledTimes(2)
    drawFrame()
    expect(listener).toHaveBeenCalledTimes(2)
  })

  test('without a document, as on a server, a timer is used', () => {
    const { session, notify } = createNotifier()
    const listener = vi.fn()
    frameSubscribe(session)(listener)
    notify()
    vi.runAllTimers()
    expect(listener).toHaveBeenCalledTimes(1)
  })

  test('the subscription ends with the last listener, and a scheduled notification is cancelled', () => {
    const { session, notify, listeners } = createNotifier()
    const listener = vi.fn()
    const stopFirst = frameSubscribe(session)(listener)
    const stopSecond = frameSubscribe(session)(vi.fn())
    expect(listeners.size).toBe(1)
    stopFirst()
    notify()
    stopSecond()
    vi.runAllTimers()
    expect(listeners.size).toBe(0)
    expect(listener).not.toHaveBeenCalled()
    expect(vi.getTimerCount()).toBe(0)
  })
})
