import { describe, expect, test } from 'vitest'
import { isMillraceError } from '../../errors/index.ts'
import { joinContinued, createJoiner } from './join.ts'

const base = { type: 'citation', agent: 'a', final: false, delta: '' }

describe('joinContinued', () => {
  test('[CHUNK-5] a text field is appended until a frame no longer marks it as continued', () => {
    const first = { ...base, more: { url: 'text', delta: 'text' }, url: 'https://e' } as const
    const second = joinContinued(first, { ...base, more: { delta: 'text' }, url: 'xample' })
    const third = joinContinued(second, { ...base, final: true, delta: 'quote', title: 'T' })
    expect(third).toEqual({
      ...base,
      final: true,
      delta: 'quote',
      url: 'https://example',
      title: 'T',
    })
  })

  test('[CHUNK-5] a field of JSON is parsed when its last chunk has arrived', () => {
    const first = { ...base, more: { place: 'json', delta: 'text' }, place: '{"page"' } as const
    expect(joinContinued(first, { ...base, place: ':[1,2]}' })['place']).toEqual({ page: [1, 2] })
  })

  test('a field named __proto__ stays a field', () => {
    const joined = joinContinued(
      JSON.parse(
        '{"type":"citation","agent":"a","final":false,"delta":"","__proto__":"a","more":{"__proto__":"text"}}',
      ),
      JSON.parse('{"type":"citation","agent":"a","final":true,"delta":"","__proto__":"b"}'),
    )
    expect(Object.getPrototypeOf(joined)).toBe(Object.prototype)
    expect(Object.getOwnPropertyDescriptor(joined, '__proto__')?.value).toBe('ab')
  })
})

describe('createJoiner', () => {
  test('[ENV-7] results of parallel calls interleave without mixing', () => {
    const joiner = createJoiner()
    const piece = (id: string, delta: string, final = false) =>
      joiner.push({ type: 'tool_result', agent: 'a', final, delta, id, name: 'f' })
    expect(piece('t1', 'AA')).toBeUndefined()
    expect(piece('t2', 'BB')).toBeUndefined()
    expect(joiner.open()).toHaveLength(2)
    expect(piece('t1', 'aa', true)?.delta).toBe('AAaa')
    expect(piece('t2', '', true)?.delta).toBe('BB')
    expect(joiner.open()).toEqual([])
  })

  test('[CHUNK-5] chunks that do not join to JSON are a typed error', () => {
    const joiner = createJoiner()
    joiner.push({ ...base, more: { place: 'json' }, place: '{"page"' })
    expect(() => joiner.push({ ...base, place: '' })).toThrow(/are not valid JSON/)
  })

  test('a block that never ends is rejected at the limit', () => {
    const joiner = createJoiner({ maxLength: 30 })
    const push = () => joiner.push({ ...base, type: 'text', delta: 'x'.repeat(12) })
    const joined = createJoiner({ maxLength: 100 })
    expect(() => joined.push({ ...base, src: 'x'.repeat(200), more: { src: 'text' } })).toThrow(
      /raise the limit/,
    )
    push()
    expect(push).toThrow(
      expect.toSatisfy((error) => isMillraceError(error) && error.code === 'frame_too_large'),
    )
  })
})
