import { expect, test } from 'vitest'
import { type ErrorCode, MillraceError } from '../../errors/index.ts'
import { toWireError } from './to-wire-error.ts'

test.each<[ErrorCode, boolean]>([
  ['overloaded', true],
  ['internal', true],
  ['lease_lost', true],
  ['bad_request', false],
  ['conflict', false],
  ['unsupported', false],
  ['payload_too_large', false],
])('%s: asking again can help: %s', (code, retriable) => {
  const message = 'What happened.'
  const wire = { type: code, message, code, retriable }
  expect(toWireError(new MillraceError(code, message))).toEqual(wire)
})

test('an error of a stranger keeps its words to itself', () => {
  const wire = toWireError(new TypeError('secret'))
  expect(wire).toMatchObject({ code: 'internal', retriable: true })
  expect(JSON.stringify(wire)).not.toContain('secret')
})
