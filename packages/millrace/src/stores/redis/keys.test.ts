import { expect, test } from 'vitest'
import { createKeys } from './keys.ts'

test('the names of a session are cached until the session is removed', () => {
  const keys = createKeys('mill:')
  const known = keys.session('one')
  expect(keys.session('one')).toBe(known)
  keys.forget('one')
  const again = keys.session('one')
  expect(again).not.toBe(known)
  expect(again).toEqual(known)
})
