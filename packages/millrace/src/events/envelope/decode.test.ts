import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isMillraceError } from '../../errors/index.ts'
import { decodeEnvelope, encodeEnvelope } from './envelope.ts'

const base = { type: 'text', agent: 'a', final: false, delta: 'x' }

function errorOf(line: string) {
  try {
    decodeEnvelope(line)
  } catch (error) {
    if (isMillraceError(error)) return error
  }
  throw new Error('expected a MillraceError')
}

describe('encodeEnvelope and decodeEnvelope', () => {
  test('[ENV-2] base fields come first and in order, compact, with non-ASCII unescaped', () => {
    expect(
      encodeEnvelope({ name: 'n', id: 'i', delta: 'é😀', final: true, agent: 'a', type: 't' }),
    ).toBe('{"type":"t","agent":"a","final":true,"delta":"é😀","name":"n","id":"i"}')
  })

  test('[ENV-2] base fields come first for any names of the others', () => {
    expect(encodeEnvelope({ 2: 'x', ...base })).toBe(
      '{"type":"text","agent":"a","final":false,"delta":"x","2":"x"}',
    )
  })

  test('[ENV-3] any text is one line and round-trips', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (delta) => {
        const line = encodeEnvelope({ ...base, delta })
        expect(line).not.toMatch(/[\r\n]/)
        expect(decodeEnvelope(line).delta).toBe(delta)
      }),
    )
  })

  test('[ENV-9] types and fields of a newer version pass unchanged', () => {
    const line =
      '{"type":"hologram","agent":"a","final":true,"delta":"","depth":{"z":[1]},"__proto__":1}'
    expect(JSON.stringify(decodeEnvelope(line))).toBe(line)
  })

  test.each([
    ['not JSON', '{"type":'],
    ['an array', '[]'],
    ['null', 'null'],
    ['no type', '{"agent":"a","final":true,"delta":""}'],
    ['no agent', '{"type":"text","final":true,"delta":""}'],
    ['a final that is a word', '{"type":"text","agent":"a","final":"true","delta":""}'],
    ['a delta that is an object', '{"type":"text","agent":"a","final":true,"delta":{}}'],
  ])('[ENV-10] %s is a typed error that shows the line', (_, line) => {
    const error = errorOf(line)
    expect(error.code).toBe('envelope_malformed')
    expect(error.message).toContain(line)
  })

  test('[ENV-10] the failure that an older server reports by itself is a message without the stack', () => {
    const error = errorOf('{"error":"ValueError","message":"no grain","traceback":"mill.py"}')
    expect(error).toMatchObject({ code: 'envelope_malformed', message: 'no grain' })
  })

  test('[ENV-10] a long line is truncated in the error', () => {
    const error = errorOf('x'.repeat(100_000))
    expect(error.message.length).toBeLessThan(200)
  })
})
