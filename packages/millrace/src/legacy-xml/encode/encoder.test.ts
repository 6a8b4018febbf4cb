import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cutAt, cuts, joinAll, nastyText } from '../../../test/support/protocols/legacy-xml.ts'
import { runs } from '../../../test/support/runs.ts'
import { decodeEnvelope, type Envelope } from '../../events/index.ts'
import { chunkPayload } from '../../events/envelope/chunk.ts'
import { envelopesToXml, xmlToEnvelopes } from '../convert.ts'
import { createLegacyXmlEncoder } from '../index.ts'

const agent = 'a'

function message(type: string, delta: string, final = true, fields: object = {}): Envelope {
  return { type, agent, final, delta, ...fields }
}

function encode(...envelopes: Envelope[]): string[] {
  return [...envelopesToXml(envelopes)]
}

describe('[XML-18] the notation of the old encoder', () => {
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

  test('each tag and each delta of a text is its own message', () => {
    const deltas = ['a\n\\', ' < b'].map((delta) => message('text', delta, false))
    expect(encode(...deltas, message('text', ''))).toEqual([
      '<content-block-text>',
      'a\\n\\\\',
      ' < b',
      '</content-block-text>',
    ])
  })

  test('a delta that equals the end of the stream is not the end', () => {
    expect(encode(message('text', '[DONE]', false))[1]).toBe('\\u005bDONE]')
  })
})

test('[XML-17] any text of a model becomes one text block', () => {
  fc.assert(
    fc.property(fc.array(nastyText, { minLength: 1 }), (deltas) => {
      const pieces = deltas.map((delta) => message('text', delta, false))
      const decoded = joinAll(xmlToEnvelopes(encode(...pieces), { agent }))
      expect(decoded).toEqual([message('text', deltas.join(''))])
    }),
    { numRuns: runs(500, 20_000) },
  )
})

describe('[XML-17] `<` in the text of a model', () => {
  const textOf = (...deltas: string[]) =>
    encode(...deltas.map((delta) => message('thinking', delta, false)))
      .slice(1, -1)
      .join('')

  test.each([
    'if a < b && c <= d',
    '<div class="x"></div>',
    'List<String>',
    '<svg><text>a</text><image href="b"/></svg>',
    '<tables><contents-block></tables>',
    '<!-- a --> <!DOCTYPE html> <![if]',
    'ends with <',
    'ends with </',
  ])('keeps %s unchanged, also character by character', (text) => {
    expect(textOf(text)).toBe(text)
    expect(textOf(...text.split(''))).toBe(text)
  })

  test.each([
    '<content-block-text',
    '</content-block-text>',
    '<Content-Block-Tool_Call id="x">',
    '<meta_init data="{}"/>',
    '<citations>',
    '<citation ',
    '<chart>',
    '</table>',
    '<web_search_tool_result>',
    '<![CDATA[',
    `<${'x'.repeat(300)}_tool_result>`,
  ])('escapes %s, for every split', (text) => {
    expect(textOf(`a${text}`)).toBe(`a\\u003c${text.slice(1)}`)
    expect(textOf(...`a${text}`.split(''))).toBe(`a\\u003c${text.slice(1)}`)
  })

  test('writes the same output for every split, and never a tag', () => {
    fc.assert(
      fc.property(nastyText, cuts, (text, seeds) => {
        const cut = textOf(...cutAt(text, seeds))
        if (!cut.includes('u005bDONE')) expect(cut).toBe(textOf(text).replace(/^\\u005b/, '['))
        expect(cut).not.toMatch(
          /<\/?(?:content-block-|meta_|citation|awaiting_|\w*_tool_result|!\[CD)/,
        )
      }),
      { numRuns: runs(1000, 30_000) },
    )
  })

  test('sends the held text of one delta with the next', () => {
    const encoder = createLegacyXmlEncoder({ agent })
    expect(encoder.encode(message('text', 'a <', false))).toEqual(['<content-block-text>', 'a '])
    expect(encoder.encode(message('text', 'table', false))).toEqual([])
    expect(encoder.encode(message('text', 's> \ud83d', false))).toEqual(['<tables> '])
    expect(encoder.encode(message('text', '\ude00', false))).toEqual(['😀'])
    expect(encoder.encode(message('text', '</tab', false))).toEqual([])
    expect(encoder.finish()).toEqual(['</tab', '</content-block-text>'])
  })
})

describe('[XML-19] one block after another', () => {
  test('a complete block waits for the end of a streaming text, and a second text then streams live', () => {
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

  test('[XML-22] the held text is bounded', () => {
    const encoder = createLegacyXmlEncoder({ maxHeldLength: 100 })
    encoder.encode(message('text', 'x'.repeat(500), false))
    expect(() => encoder.encode(message('error', 'x'.repeat(99)))).toThrow(/maxHeldLength/)
  })
})

test('joins messages that were split at the frame limit, long fields included', () => {
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

  test('a sub-agent is named, or omitted and reported', () => {
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

describe('[XML-21] messages that the format cannot express', () => {
  test('are omitted and reported, and so is an incomplete block', () => {
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

  test('a rollback is omitted, and later messages are written', () => {
    const messages = encode(
      message('text', 'half', false),
      message('text', ''),
      message('rollback', '{}'),
      message('text', 'whole', false),
      message('text', ''),
    )
    expect(messages.join('')).toBe(
      '<content-block-text>half</content-block-text><content-block-text>whole</content-block-text>',
    )
  })
})
