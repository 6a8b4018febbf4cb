import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { joinAll, nastyText } from '../../test/support/legacy-xml.ts'
import { runs } from '../../test/support/runs.ts'
import { chunkPayload, decodeEnvelope, type Envelope } from '../envelope/index.ts'
import { createLegacyXmlEncoder, envelopesToXml, xmlToEnvelopes } from './index.ts'

const agent = 'a'

function message(type: string, delta: string, final = true, fields: object = {}): Envelope {
  return { type, agent, final, delta, ...fields }
}

function encode(...envelopes: Envelope[]): string[] {
  return [...envelopesToXml(envelopes)]
}

describe('[XML-18] the shape of the old encoder', () => {
  test.each([
    [
      message('tool_call', '{"q":"a < b & \\"c\\" it\'s"}', true, { id: 't', name: 'n' }),
      '<content-block-tool_call id="t" name="n" arguments="{&quot;q&quot;:&quot;a &lt; b &amp; \\\\&quot;c\\\\&quot; it&#x27;s&quot;}"></content-block-tool_call>',
    ],
    [
      message('tool_result', 'a\nb]]>c\\nd\re', true, { id: 't', name: 'n', is_error: true }),
      '<content-block-tool_result id="t" name="n" is_error="true"><![CDATA[a\\nb]]]]><![CDATA[>c\\]]><![CDATA[nd]]>&#13;<![CDATA[e]]></content-block-tool_result>',
    ],
    [
      message('server_tool_result', '[]', true, { id: 's', name: 'web_search_tool_result' }),
      '<content-block-server_tool_result id="s" name="web_search_tool_result"><![CDATA[[]]]></content-block-server_tool_result>',
    ],
    [
      message('meta_files', '{"files":["\\n"]}'),
      '<content-block-meta_files><![CDATA[{"files":["\\n"]}]]></content-block-meta_files>',
    ],
    [
      message('awaiting_frontend_tools', '["a\\nb"]'),
      '<awaiting_frontend_tools data="[&quot;a\\nb&quot;]"></awaiting_frontend_tools>',
    ],
    [
      message('citation', 'c', true, {
        citation_type: 'char_location',
        document_index: 0,
        id: 'b1',
      }),
      '<citations><citation type="char_location" document_index="0"><![CDATA[c]]></citation></citations>',
    ],
  ])('%j', (envelope, expected) => expect(encode(envelope)).toEqual([expected]))

  test('each tag and each delta of a text is a message of its own', () => {
    expect(encode(message('text', 'a\n\\<', false), message('text', '', true))).toEqual([
      '<content-block-text>',
      'a\\n\\\\\\u003c',
      '</content-block-text>',
    ])
  })

  test('a delta that is the end of the stream is not', () => {
    expect(encode(message('text', '[DONE]', false))[1]).toBe('\\u005bDONE]')
  })
})

test('[XML-17] text of a model gives one text block, whatever is in it', () => {
  fc.assert(
    fc.property(fc.array(nastyText, { minLength: 1 }), (deltas) => {
      const pieces = deltas.map((delta) => message('text', delta, false))
      const decoded = joinAll(xmlToEnvelopes(encode(...pieces), { agent }))
      expect(decoded).toEqual([message('text', deltas.join(''))])
    }),
    { numRuns: runs(500, 20_000) },
  )
})

describe('[XML-19] one block after the other', () => {
  test('what is whole while a text streams waits for its end, and a second text after it goes on live', () => {
    const encoder = createLegacyXmlEncoder({ agent })
    const child = (delta: string, final = false) => ({
      ...message('text', delta, final),
      agent: 'c',
    })
    expect(encoder.encode(message('text', 'a', false))).toEqual(['<content-block-text>', 'a'])
    expect(encoder.encode(child('x'))).toEqual([])
    expect(encoder.encode(message('error', '{}'))).toEqual([])
    expect(encoder.encode(message('text', 'b', false))).toEqual(['b'])
    expect(encoder.encode(message('text', ''))).toEqual([
      '</content-block-text>',
      '<content-block-text agent="c">',
      'x',
    ])
    expect(encoder.encode(child('y'))).toEqual(['y'])
    expect(encoder.finish()).toEqual([
      '</content-block-text>',
      '<content-block-error><![CDATA[{}]]></content-block-error>',
    ])
  })

  test('[XML-22] what waits is bounded', () => {
    const encoder = createLegacyXmlEncoder({ maxHeldLength: 100 })
    encoder.encode(message('text', 'x'.repeat(500), false))
    expect(() => encoder.encode(message('error', 'x'.repeat(99)))).toThrow(/maxHeldLength/)
  })
})

test('messages split to the frame bound are written whole, long fields included', () => {
  const title = 'é<"'.repeat(2000)
  const lines = [
    ...chunkPayload({
      type: 'citation',
      agent,
      payload: 'c'.repeat(5000),
      extras: { citation_type: 'x', title },
    }),
    ...chunkPayload({
      type: 'tool_call',
      agent,
      payload: '{"a":1}'.repeat(900),
      extras: { id: 'i', name: 'n' },
    }),
  ]
  const envelopes = lines.map(decodeEnvelope)
  expect(envelopes.length).toBeGreaterThan(10)
  expect(encode(...envelopes)).toHaveLength(2)
  expect(joinAll(xmlToEnvelopes(encode(...envelopes), { agent }))).toEqual(joinAll(envelopes))
})

describe('[XML-20] agents', () => {
  const child = { ...message('text', 'x'), agent: 'c' }

  test('a sub-agent names itself, or is left out and reported', () => {
    expect(encode(message('text', ''), child)[2]).toBe('<content-block-text agent="c">')
    const omitted: Envelope[] = []
    const messages = envelopesToXml([message('text', ''), child], {
      agents: 'root',
      onOmit: (one) => omitted.push(one),
    })
    expect([...messages]).toEqual(['<content-block-text>', '</content-block-text>'])
    expect(omitted).toEqual([child])
  })
})

describe('[XML-21] what the format cannot say', () => {
  test('is left out and reported, and so is a block that is not whole', () => {
    const omitted: string[] = []
    const envelopes = [
      message('meta_step', '{}'),
      message('meta_end', '{}'),
      message('awaiting_approval', '[]'),
      message('constructor', ''),
      message('tool_call', '{"half":', false, { id: 'i', name: 'n' }),
    ]
    expect([...envelopesToXml(envelopes, { onOmit: ({ type }) => omitted.push(type) })]).toEqual([])
    expect(omitted).toEqual(envelopes.map(({ type }) => type))
  })

  test('a rollback closes what is open, becomes an error and ends the stream', () => {
    const messages = encode(
      message('text', 'half', false),
      message('rollback', '{}'),
      message('text', 'again'),
    )
    expect(messages.slice(0, 3)).toEqual(['<content-block-text>', 'half', '</content-block-text>'])
    expect(messages).toHaveLength(4)
    expect(joinAll(xmlToEnvelopes(messages)).at(-1)).toMatchObject({ type: 'error', final: true })
  })
})
