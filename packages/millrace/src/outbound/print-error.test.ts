import { afterEach, expect, test, vi } from 'vitest'
import { printError, toErrorLog } from './print-error.ts'
import { keepSecrets } from './secrets/registered-secrets.ts'

afterEach(() => vi.restoreAllMocks())

test('the text of an error has its stack and its causes, without secrets', () => {
  keepSecrets(['sesame-and-poppy-seeds'])
  const cause = new TypeError('no key sesame-and-poppy-seeds')
  const log = toErrorLog(new Error('The oven failed.', { cause }))
  expect(log).toMatch(/^Error: The oven failed\.\n +at .*\nCaused by: TypeError: no key \*+\n/s)
  expect(toErrorLog('a word')).toBe('a word')
})

test('the text is bounded, also for an error that is its own cause', () => {
  const error = new Error('x'.repeat(100_000))
  error.cause = error
  expect(toErrorLog(error)).toHaveLength(65_536)
})

test('an error is printed with its session', () => {
  const print = vi.spyOn(console, 'error').mockImplementation(() => {})
  printError('lost', { session: 'a' })
  printError('lost')
  expect(print.mock.calls).toEqual([['Session a: lost'], ['lost']])
})
