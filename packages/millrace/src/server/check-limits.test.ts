import { describe, expect, test } from 'vitest'
import { checkLimits } from './check-limits.ts'
import { defaultLimits, type HandlerLimits } from './handler-options.ts'

/** What a caller without types may give. */
function checkAny(limits: unknown): () => void {
  return () => checkLimits(limits as HandlerLimits)
}

describe('limits that would limit nothing are refused', () => {
  test('an unknown name is told with those most like it first', () => {
    expect(checkAny({ maxActiveRunz: 2 })).toThrow(
      /^limits\.maxActiveRunz is not known\..*: maxActiveRuns, .*healthTimeoutMs/,
    )
    expect(checkAny({ leaseMS: 2 })).toThrow(/: leaseMs, /)
    expect(checkAny({ toString: 2 })).toThrow(/not known/)
  })

  test.each([Number.NaN, Infinity, -1, '200', null, undefined])('the value %j', (value) => {
    expect(checkAny({ maxReaders: value })).toThrow(/^limits\.maxReaders is .* finite number/)
  })
})

test('the defaults and 0 are limits', () => {
  expect(checkAny(defaultLimits)).not.toThrow()
  expect(checkAny({ maxReaders: 0 })).not.toThrow()
})
