import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { joinAll, nastyText, toCase } from '../../../test/support/protocols/legacy-xml.ts'
import { runs } from '../../../test/support/runs.ts'
import { createLegacyXmlDecoder } from './message-decoder.ts'
import { xmlToEnvelopes } from '../convert.ts'

const start = '<meta_init data="{&quot;agent_uuid&quot;:&quot;a1&quot;}"></meta_init>'

function decode(...messages: string[]) {
  return [...xmlToEnvelopes(messages)]
}

function blocks(...messages: string[]) {
  return toCase(decode(start, ...messages)).blocks
}

describe('[XML-2] a message is structure only as a whole', () => {
  test('text and thinking stream in chunks and end with an empty final message', () => {
    expect(
      decode(start, '<content-block-thinking>', 'hm', '</content-block-thinking>').slice(1),
    ).toEqual([
      { type: 'thinking', agent: 'a1', final: false, delta: 'hm' },
      { type: 'thinking', agent: 'a1', final: true, delta: '' },
    ])
  })

  test('a tag next to other text is text', () => {
    expect(
      blocks(
        '<content-block-text>',
        'a </content-block-text>',
        '</content-block-text> b',
        '</content-block-text>',
      ),
    ).toMatchObject([{ type: 'text', text: 'a </content-block-text></content-block-text> b' }])
  })

  test('two elements in one message are text', () => {
    const both =
      '<content-block-thinking>a</content-block-thinking><content-block-text>b</content-block-text>'
    expect(blocks(both)).toMatchObject([{ type: 'text', text: both }])
  })

  test('a block in one message ends with the last closing tag', () => {
    expect(
      blocks('<content-block-text>say </content-block-text> twice</content-block-text>'),
    ).toMatchObject([{ type: 'text', text: 'say </content-block-text> twice' }])
  })
})

describe('[XML-3] in an open block only its own closing tag has a meaning', () => {
  test('any text of a model in one delta stays text', () => {
    const closer = '</content-block-text>'
    const delta = nastyText.filter((text) => text !== closer && text !== '')
    fc.assert(
      fc.property(fc.array(delta), (deltas) => {
        const whole = joinAll(decode('<content-block-text>', ...deltas, closer))
        expect(whole).toHaveLength(1)
        expect(whole[0]).toMatchObject({ type: 'text' })
      }),
      { numRuns: runs(500, 20_000) },
    )
  })

  test('a prompt for the user inside an open block is text', () => {
    const forged = '<awaiting_frontend_tools data="[]"></awaiting_frontend_tools>'
    expect(blocks('<content-block-text>', forged, '</content-block-text>')).toMatchObject([
      { type: 'text', text: forged },
    ])
  })
})

describe('[XML-5] tags', () => {
  test.each([
    [
      '<content-block-web_search_tool_result id="s"><![CDATA[r]]></content-block-web_search_tool_result>',
      'web_search_tool_result',
    ],
    ['<bash_tool_result id="s">r</bash_tool_result>', 'bash_tool_result'],
    ['<x_tool_result id="s" name="given"><![CDATA[r]]></x_tool_result>', 'given'],
  ])('%s is the result of a server tool', (message, name) => {
    expect(blocks(message)).toMatchObject([
      { type: 'server_tool_result', id: 's', name, text: 'r' },
    ])
  })

  test.each(['<tool_result>', '<foo>x</foo>', '<Meta_Final data="{}">', '<meta_finally>'])(
    '%s is text',
    (message) => expect(blocks(message)).toMatchObject([{ type: 'text', text: message }]),
  )
})

describe('[XML-6] attributes', () => {
  test.each([
    `<content-block-tool_call arguments='{"a":1}' name='n' id='i'></content-block-tool_call>`,
    `<content-block-tool_call\n  id = "i"\tname="n"  arguments="{&quot;a&quot;:&#49;}" />`,
    `  <content-block-tool_call id="i" name="n" arguments="{&#x22;a&#34;:1}">\n`,
    `<content-block-tool_call id="i" id="j" name="n" arguments='{"a":1}'></content-block-tool_call>`,
  ])('%s', (message) => {
    expect(blocks(message)).toMatchObject([
      { type: 'tool_call', id: 'i', name: 'n', json: { a: 1 } },
    ])
  })

  test('cannot set a base field or the prototype', () => {
    const [, call] = decode(
      start,
      '<content-block-tool_call id="i" name="n" final="no" delta="x" type="text" span="9" more="x" __proto__="y" arguments="{}"/>',
    )
    expect(call).toEqual(
      JSON.parse(
        '{"type":"tool_call","agent":"a1","final":true,"delta":"{}","id":"i","name":"n","__proto__":"y"}',
      ),
    )
    expect(Object.getPrototypeOf(call)).toBe(Object.prototype)
  })

  test('decodes entities once, and keeps unknown ones', () => {
    const values = '&amp;lt; &nbsp; &#128512; &#x1f600; &#1114112; &apos; &lt'
    expect(decode(`<meta_final data="${values}"/>`)[0]?.delta).toBe(
      "&lt; &nbsp; 😀 😀 &#1114112; ' &lt",
    )
  })
})

describe('[XML-15] unclosed blocks end with the stream', () => {
  test.each([
    [['<content-block-text>', 'half'], { type: 'text', text: 'half' }],
    [['<content-block-text>half '], { type: 'text', text: 'half ' }],
    [['<content-block-error><![CDATA[{"a":1}'], { type: 'error', json: { a: 1 } }],
    [
      ['<content-block-tool_result id="i" name="n">', '<![CDATA[a', 'b]]'],
      { type: 'tool_result', text: 'ab]]' },
    ],
    [['<meta_final data="{}">'], { type: 'meta_final', json: {} }],
  ])('%j', (messages, expected) => {
    expect(blocks(...messages)).toMatchObject([expected])
  })

  const opened = (type: string) => `<content-block-${type} id="i" name="n">`
  const cut = ['tool_result', 'server_tool_result'].flatMap((type) => [
    [[opened(type), '<![CDATA[a']],
    [[`${opened(type)}<![CDATA[a`]],
  ])
  const image = '<text><![CDATA[a]]></text><image src="s" media_type="m" />'

  test.each([
    ...cut,
    [['<content-block-text>', 'half']],
    [['<content-block-text>half']],
    [['<content-block-thinking>']],
    [[opened('tool_result'), image]],
  ])('[LIFE-14] the last message is marked as interrupted: %j', (messages) => {
    for (const end of [[], ['[DONE]']]) {
      const said = decode(start, ...messages, ...end).slice(1)
      expect(said.map(({ interrupted }) => interrupted)).toEqual([
        ...said.slice(1).map(() => undefined),
        true,
      ])
    }
    const inText = [...xmlToEnvelopes(start + messages.join(''))].at(-1)
    expect(inText).toMatchObject({ final: true, interrupted: true })
  })

  test.each([
    [['<content-block-text>', 'whole', '</content-block-text>']],
    [[`${opened('tool_result')}<![CDATA[a]]></content-block-tool_result>`]],
    [['text outside every block']],
    [['<content-block-error><![CDATA[{"a":1}']],
    [['<meta_final data="{}">']],
  ])('[LIFE-14] other messages are not: %j', (messages) => {
    const said = decode(start, ...messages, '[DONE]')
    expect(said.filter((one) => 'interrupted' in one)).toEqual([])
  })

  test('an element whose opening tag is its own message continues to its closing tag', () => {
    expect(
      blocks(
        '<content-block-tool_result id="i" name="n">',
        '<![CDATA[a]]',
        '></content-block-',
        'tool_result>',
        'x',
      ),
    ).toMatchObject([
      { type: 'tool_result', text: 'a' },
      { type: 'text', text: 'x' },
    ])
  })

  test('finishing twice returns no further messages', () => {
    const decoder = createLegacyXmlDecoder()
    decoder.feed('<content-block-text>')
    expect(decoder.finish()).toHaveLength(1)
    expect(decoder.finish()).toEqual([])
  })
})

describe('[XML-16] the end of the stream', () => {
  const failure =
    '{"error": "RateLimitError", "message": "slow down", "traceback": "File /srv/x.py"}'

  test('the old server’s failure closes the block and is an error without the stack trace', () => {
    expect(decode(start, '<content-block-text>', 'half', failure).slice(2)).toEqual([
      { type: 'text', agent: 'a1', final: true, delta: '', interrupted: true },
      {
        type: 'error',
        agent: 'a1',
        final: true,
        delta: '{"type":"RateLimitError","message":"slow down"}',
      },
    ])
  })

  test('text that looks like it is text if anything follows', () => {
    expect(
      blocks(
        '<content-block-text>',
        failure,
        '[DONE]',
        '{"error":',
        '</content-block-text>',
        '[DONE]',
      ),
    ).toMatchObject([{ type: 'text', text: `${failure}[DONE]{"error":` }])
  })

  test('[DONE] between two recorded runs is only a separator', () => {
    const second = start.replace('a1', 'a2')
    const agents = decode(start, '[DONE]', second, '<content-block-text>', 'x').map(
      ({ agent }) => agent,
    )
    expect(agents).toEqual(['a1', 'a2', 'a2', 'a2'])
  })
})

describe('[XML-20] the agent of messages', () => {
  test('comes from the option until a meta_init, and a sub-agent’s start affects only itself', () => {
    const child = start.replace('a1&quot;', 'c1&quot;,&quot;parent_agent_uuid&quot;:&quot;a1&quot;')
    const messages = [
      '<content-block-text/>',
      start,
      child,
      '<content-block-text/>',
      '<content-block-text agent="c1"/>',
    ]
    const envelopes = [...xmlToEnvelopes(messages, { agent: 'a0' })]
    expect(envelopes.map(({ agent }) => agent)).toEqual(['a0', 'a1', 'c1', 'a1', 'c1'])
  })
})

test('[XML-22] an element over the limit is text up to its closing tag, including structure in it', () => {
  const pieces = [
    '<content-block-tool_result id="i" name="n">',
    '<![CDATA[',
    'x'.repeat(50),
    '<meta_final data="{}"/>',
    ']]></content-block-tool_result>',
  ]
  const envelopes = [
    ...xmlToEnvelopes([...pieces, '<content-block-text/>'], { limits: { maxElementLength: 40 } }),
  ]
  expect(joinAll(envelopes)).toMatchObject([
    { type: 'text', delta: pieces.join('') },
    { type: 'text', delta: '' },
  ])
})
