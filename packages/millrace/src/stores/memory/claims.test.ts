import { expect, test } from 'vitest'
import { type MemoryClaims, takeClaim } from './inbox.ts'

test('claims that have lapsed are dropped when one is taken, and active ones are kept', () => {
  const claims: MemoryClaims = new Map()
  takeClaim(claims, 'long', { holder: 'a', ms: 1_000_000, at: 0 })
  for (let at = 0; at < 10_000; at += 10) {
    const claim = { holder: 'a', ms: 100, at }
    expect(takeClaim(claims, `call ${at}`, claim)).toEqual({ holder: 'a', remainingMs: 100 })
    expect(claims.size).toBeLessThanOrEqual(11)
  }
  const other = { holder: 'b', ms: 100, at: 999_999 }
  expect(takeClaim(claims, 'long', other)).toEqual({ holder: 'a', remainingMs: 1 })
  expect([...claims.keys()]).toEqual(['long'])
  expect(takeClaim(claims, 'long', { ...other, at: 1_000_000 }).holder).toBe('b')
  takeClaim(claims, 'long', { holder: 'b', ms: 0, at: 1_000_000 })
  expect(claims.size).toBe(0)
})
