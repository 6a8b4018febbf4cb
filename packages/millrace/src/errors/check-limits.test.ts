import { describe, expect, test } from 'vitest'
import { checkLimits } from './check-limits.ts'

const defaults = { maxActiveRuns: 1, maxReaders: 1, leaseMs: 1, healthTimeoutMs: 1 }

/** What a caller without types may give. */
function checkAny(limits: unknown): () => void {
  return () => checkLimits(limits as object, defaults)
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
  expect(checkAny(defaults)).not.toThrow()
  expect(checkAny({ maxReaders: 0 })).not.toThrow()
})
