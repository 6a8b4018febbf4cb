import { expect, test } from 'vitest'
import { type ErrorCode, MillraceError } from '../../errors/index.ts'
import { toWireError } from './run-recorder.ts'

test.each<[ErrorCode, boolean]>([
  ['overloaded', true],
  ['internal', true],
  ['lease_lost', true],
  ['bad_request', false],
  ['conflict', false],
  ['unsupported', false],
  ['payload_too_large', false],
])('%s: retriable: %s', (code, retriable) => {
  const message = 'What happened.'
  const wire = { type: code, message, code, retriable }
  expect(toWireError(new MillraceError(code, message))).toEqual(wire)
})

test('an unknown error does not reveal its message', () => {
  const wire = toWireError(new TypeError('secret'))
  expect(wire).toMatchObject({ code: 'internal', retriable: true })
  expect(JSON.stringify(wire)).not.toContain('secret')
})
