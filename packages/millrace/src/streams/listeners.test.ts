import { expect, test } from 'vitest'
import { createListeners } from './index.ts'

test('calls every listener with the values, and none after its removal, also during a call', () => {
  const listeners = createListeners<[name: string, count: number]>()
  const calls: string[] = []
  const remove = listeners.subscribe((name, count) => {
    calls.push(`first ${name} ${count}`)
    remove()
    removeLater()
  })
  listeners.subscribe((name) => calls.push(`second ${name}`))
  const removeLater = listeners.subscribe(() => calls.push('removed'))
  listeners.notify('a', 1)
  listeners.notify('b', 2)
  expect(calls).toEqual(['first a 1', 'second a', 'second b'])
  expect(listeners.size()).toBe(1)
  listeners.clear()
  listeners.notify('c', 3)
  expect(calls).toHaveLength(3)
})

test('starts with the first listener, and stops after the last', () => {
  const calls: string[] = []
  const listeners = createListeners(() => {
    calls.push('start')
    return () => calls.push('stop')
  })
  const [first, second] = [
    listeners.subscribe(() => {}),
    listeners.subscribe(() => calls.push('!')),
  ]
  first()
  first()
  expect(calls).toEqual(['start'])
  second()
  second()
  expect(calls).toEqual(['start', 'stop'])
  listeners.subscribe(() => {})
  expect(calls).toEqual(['start', 'stop', 'start'])
})
