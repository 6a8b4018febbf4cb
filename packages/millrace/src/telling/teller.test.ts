import { describe, expect, test } from 'vitest'
import type { Envelope } from '../envelope/index.ts'
import { createTeller } from './teller.ts'

const ROOT = 'mill'
const say = (type: string, delta: string, more: Partial<Envelope> = {}): Envelope => ({
  type,
  agent: ROOT,
  final: true,
  delta,
  ...more,
})
const part = (type: string, delta: string, more: Partial<Envelope> = {}): Envelope =>
  say(type, delta, { final: false, ...more })

function tell(envelopes: readonly Envelope[]) {
  const teller = createTeller(ROOT)
  let id = 0
  const tellings = envelopes.flatMap((envelope) => {
    id += envelope.span ?? 1
    return teller.take(envelope, id)
  })
  return [...tellings, ...teller.finish()]
}

describe('what a log tells', () => {
  test('a text ends after its citations, with them [LIFE-3]', () => {
    const tellings = tell([
      part('text', 'wheat'),
      say('text', ''),
      say('citation', 'rye', { citation_type: 'page_location' }),
      say('meta_step', '{"step":1}'),
    ])
    expect(tellings.map(({ type }) => type)).toEqual([
      'block_start',
      'block_delta',
      'block_end',
      'step_end',
    ])
    expect(tellings[2]).toMatchObject({
      isInterrupted: false,
      citations: [{ citedText: 'rye', fields: { citation_type: 'page_location' } }],
    })
  })

  test('the key of a block is made of the first message, merged or not [LOG-5]', () => {
    const apart = tell([
      say('meta_init', '{}'),
      part('text', 'a'),
      part('text', 'b'),
      say('text', ''),
    ])
    const merged = tell([say('meta_init', '{}'), part('text', 'ab', { span: 2 }), say('text', '')])
    const keysOf = (tellings: typeof apart) =>
      tellings.flatMap((telling) => ('block' in telling ? [telling.block.key] : []))
    expect(new Set(keysOf(apart))).toEqual(new Set(['b2']))
    expect(new Set(keysOf(merged))).toEqual(new Set(['b2']))
  })

  test('a call is told once its name is whole, and ends with its arguments [CHUNK-5]', () => {
    const tellings = tell([
      part('tool_call', '{"a"', { id: 'c', name: 'gri', more: { name: 'text' } }),
      say('tool_call', ':1}', { id: 'c', name: 'nd' }),
    ])
    expect(tellings.map(({ type }) => type)).toEqual([
      'block_start',
      'block_delta',
      'block_delta',
      'block_end',
    ])
    expect(tellings[0]).toMatchObject({ block: { name: 'grind', toolUseId: 'c' } })
    expect(tellings[3]).toMatchObject({ input: '{"a":1}', isInterrupted: false })
  })

  test('images stand in the result that they came in [LIFE-4]', () => {
    const fields = { id: 'c', name: 'draw' }
    const [result] = tell([
      part('tool_result', 'done', fields),
      part('tool_result_image', '', { ...fields, src: 'data:x', media_type: 'image/png' }),
      say('tool_result', '', fields),
    ])
    expect(result).toMatchObject({
      type: 'result',
      text: 'done',
      images: [{ src: 'data:x', mediaType: 'image/png' }],
    })
  })

  test('a rollback names what its agent has shown in this step, and nothing before it [LIFE-8]', () => {
    const tellings = tell([
      say('text', 'kept'),
      say('meta_step', '{}'),
      say('thinking', 'gone'),
      part('text', 'gone too'),
      say('text', ''),
      say('text', 'of another', { agent: 'child' }),
      say('rollback', '{"step":2}'),
    ])
    const rollback = tellings.find(({ type }) => type === 'rollback')
    expect(rollback).toMatchObject({ voided: [{ type: 'thinking' }, { type: 'text', key: 'b4' }] })
  })

  test('what is open at the end is cut', () => {
    const tellings = tell([part('tool_call', '{"a', { id: 'c', name: 'n' }), part('text', 'x')])
    expect(tellings.filter(({ type }) => type === 'block_end')).toMatchObject([
      { isInterrupted: true, input: '{"a' },
      { isInterrupted: true },
    ])
  })
})
