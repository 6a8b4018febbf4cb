import { describe, expect, test } from 'vitest'
import { checkLimits } from './check-options.ts'

const defaults = { maxActiveRuns: 1, maxReaders: 1, leaseMs: 1, healthTimeoutMs: 1 }

/** Limits of an untyped caller. */
function checkAny(limits: unknown): () => void {
  return () => checkLimits(limits as object, defaults)
}

describe('rejects invalid limits', () => {
  test('lists the most similar names first for an unknown name', () => {
    expect(checkAny({ maxActiveRunz: 2 })).toThrow(
      /^limits\.maxActiveRunz does not exist\..*: maxActiveRuns, .*healthTimeoutMs/,
    )
    expect(checkAny({ leaseMS: 2 })).toThrow(/: leaseMs, /)
    expect(checkAny({ toString: 2 })).toThrow(/does not exist/)
  })

  test.each([Number.NaN, Infinity, -1, '200', null, undefined])('the value %j', (value) => {
    expect(checkAny({ maxReaders: value })).toThrow(/^limits\.maxReaders is .* finite number/)
  })
})

test('accepts the defaults and 0', () => {
  expect(checkAny(defaults)).not.toThrow()
  expect(checkAny({ maxReaders: 0 })).not.toThrow()
})
