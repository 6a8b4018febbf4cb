import { Anthropic } from '@anthropic-ai/sdk'
import { describe, expect, test } from 'vitest'
import {
  apiEvents,
  fixtures,
  runEnvelopes,
} from '../../../millrace/test/support/protocols/convert-fixtures.ts'
import { joinAll } from '../../../millrace/test/support/protocols/legacy-xml.ts'
import {
  convert,
  envelopesOf,
  framesOf,
  pieces,
  runConvert,
} from '../../../millrace/test/support/protocols/run-convert.ts'
import { createVerifier, encodeEnvelope, type Envelope } from 'millrace'
import { readers, writers } from './formats.ts'

/** The message of the official SDK for each message of a stream. */
async function accumulate(text: string) {
  const bodies = text.split(/(?<=event: message_stop\ndata: [^\n]*\n\n)/)
  const messages = bodies.map((body) => {
    const fetch = async () =>
      new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    const client = new Anthropic({ apiKey: 'none', fetch, maxRetries: 0 })
    return client.beta.messages.stream({ model: 'm', max_tokens: 1, messages: [] }).finalMessage()
  })
  return Promise.all(messages)
}

const from = Object.keys(readers)
const to = Object.keys(writers)
const pairs = from.flatMap((one) => to.map((other) => [one, other] as const))
const run = 'The wheel turns.\n\nDone: 1.5 kg.\n'
const text: Readonly<Record<string, string>> = {
  anthropic: 'The wheel “turns”\r\n<at> night.\n',
  openai: 'The wheel turns.\n',
  json: run,
  xml: run,
  raw: run,
  segments: run,
  'ai-sdk': run,
  'ag-ui': run,
}

describe('every pair', () => {
  test.each(pairs)('%s to %s, byte by byte as at once', async (source, target) => {
    const fixture = fixtures[source] ?? ''
    const whole = await convert(fixture, source, target)
    const args = ['--from', source, '--to', target] as const
    expect((await runConvert(pieces(fixture, 1), ...args)).output).toBe(whole)
    expect(whole).not.toBe('')
  })

  test.each(pairs.filter(([, target]) => from.includes(target)))(
    '%s to %s and on to text has the same content',
    async (source, target) => {
      const middle = await convert(fixtures[source] ?? '', source, target)
      expect(await convert(middle, target, 'text')).toBe(text[source])
      expect(await convert(fixtures[source] ?? '', source, 'text')).toBe(text[source])
    },
  )
})

describe('json', () => {
  test.each(from)('%s becomes envelopes that conform to every rule', async (source) => {
    const output = await convert(fixtures[source] ?? '', source, 'json', '--limit', '600')
    const verifier = createVerifier({ maxBytes: 600, needsEnd: source !== 'xml' })
    const frames = framesOf(output)
    expect(frames.at(-1)?.data).toBe('[DONE]')
    const lines = frames.slice(0, -1)
    expect(lines.flatMap(({ data, id }) => verifier.push(data, Number(id)))).toEqual([])
    expect(verifier.end(true)).toEqual([])
  })

  test('is read and written one per line', async () => {
    const lines = `${runEnvelopes.map(encodeEnvelope).join('\n')}\n[DONE]\n`
    expect(await convert(lines, 'json', 'json', '--lines')).toBe(lines)
    expect(await convert(lines, 'json', 'json')).toBe(fixtures['json'])
  })

  test('chunks of another limit are joined and chunked again', async () => {
    const big = { citation_type: 'web', url: 'u'.repeat(5000), title: 'é'.repeat(900) }
    const blocks = [
      ...runEnvelopes.slice(0, 6),
      { type: 'citation', agent: 'a', final: true, delta: 'c'.repeat(3000), ...big },
      { type: 'tool_call', agent: 'a', final: true, delta: '{}', id: 'i', name: 'n'.repeat(2000) },
    ]
    const lines = blocks.map((one) => encodeEnvelope({ ...one, agent: 'a' })).join('\n')
    const small = await convert(lines, 'json', 'json', '--limit', '512')
    const large = await convert(small, 'json', 'json', '--limit', '100000')
    const joined = joinAll(blocks.map((one) => ({ ...one, agent: 'a' })))
    expect(joinAll(envelopesOf(small))).toEqual(joined)
    expect(joinAll(envelopesOf(large))).toEqual(joined)
    expect(envelopesOf(large)).toHaveLength(blocks.length)
  })

  test('a frame that was merged for catch-up is split where its block ends', async () => {
    const merged = { type: 'text', agent: 'a', final: true, delta: 'ab', span: 3 }
    expect(envelopesOf(await convert(encodeEnvelope(merged), 'json', 'json'))).toEqual([
      { type: 'text', agent: 'a', final: false, delta: 'ab' },
      { type: 'text', agent: 'a', final: true, delta: '' },
    ])
  })
})

describe('xml', () => {
  test('converted to json and back is the same', async () => {
    const json = await convert(fixtures['xml'] ?? '', 'xml', 'json')
    expect(await convert(json, 'json', 'xml')).toBe(fixtures['xml'])
  })

  test('plain text without frames is accepted', async () => {
    const plain = framesOf(fixtures['xml'] ?? '').flatMap(({ data }) =>
      data === '[DONE]' ? [] : data,
    )
    expect(await convert(`\n${plain.join('')}`, 'xml', 'text')).toBe(text['xml'])
  })

  test('[DONE] in an open block is text', async () => {
    const said = ['<content-block-text>', '[DONE]', '</content-block-text>', '[DONE]']
    const body = said.map((data) => `data: ${data}\n\n`).join('')
    expect(await convert(body, 'xml', 'text')).toBe('[DONE]\n')
  })

  test('content that it cannot express is reported', async () => {
    const { complaints } = await runConvert(
      pieces(fixtures['json'] ?? '', 99),
      '--from',
      'json',
      '--to',
      'xml',
    )
    expect(complaints).toBe('xml cannot express: 2 meta_step, 2 meta_end.')
  })
})

describe('raw', () => {
  test('frames of the API are passed on byte for byte, lines too', async () => {
    const padded = apiEvents.map((event) => `${JSON.stringify(event).slice(0, -1)}   }`)
    const frames = padded.map(
      (data, index) => `event: ${String(apiEvents[index]?.['type'])}\ndata: ${data}\n\n`,
    )
    expect(await convert(frames.join(''), 'anthropic', 'raw')).toBe(frames.join(''))
    const lines = `${padded.join('\n')}\n`
    expect(await convert(lines, 'anthropic', 'raw')).toBe(frames.join(''))
    expect(await convert(lines, 'anthropic', 'raw', '--lines')).toBe(lines)
  })

  const grind = { type: 'tool_use', name: 'grind' }
  test.each<[string, unknown[], (string | null)[]]>([
    [
      'anthropic',
      [
        [
          { type: 'thinking', thinking: 'A wheel,\nthen?', signature: 'sealed' },
          { type: 'server_tool_use', id: 'srv_1', input: { query: 'mill' } },
          { type: 'web_search_tool_result', tool_use_id: 'srv_1' },
          {
            type: 'text',
            text: 'The wheel “turns”\r\n',
            citations: [{ encrypted_index: 'sealed' }],
          },
          { type: 'text', text: '<at> night.' },
          { ...grind, input: { kg: 1.5 } },
        ],
      ],
      ['tool_use'],
    ],
    [
      'openai',
      [
        [
          { type: 'thinking', thinking: 'A wheel?' },
          { type: 'text', text: 'The wheel turns.' },
          { ...grind, id: 'call_a', input: { kg: 1 } },
        ],
      ],
      ['tool_use'],
    ],
    ...['json', 'xml'].map((source): [string, unknown[], (string | null)[]] => [
      source,
      [
        [
          { type: 'thinking', thinking: 'A wheel?' },
          {
            type: 'text',
            text: 'The wheel turns.',
            citations: [{ type: 'page_location', cited_text: 'It turns.', document_index: 0 }],
          },
          { ...grind, type: 'mcp_tool_use', id: 'toolu_1', input: { kg: 1.5 } },
          {
            type: 'mcp_tool_result',
            tool_use_id: 'toolu_1',
            content: [{ type: 'text', text: 'Flour' }, { type: 'image' }],
          },
          { type: 'text', text: 'Done: 1.5 kg.' },
        ],
      ],
      ['end_turn'],
    ]),
  ])('the official SDK accumulates the content of %s', async (source, contents, reasons) => {
    const messages = await accumulate(await convert(fixtures[source] ?? '', source, 'raw'))
    expect(messages.map(({ content }) => content)).toMatchObject(contents)
    expect(messages.map(({ stop_reason }) => stop_reason)).toEqual(reasons)
  })

  test('a run is restored with its calls, results and images', async () => {
    const json = await convert(fixtures['raw'] ?? '', 'raw', 'json')
    const received = new Set(['thinking', 'text', 'citation', 'tool_call', 'tool_result'])
    const [root] = runEnvelopes
    const pick = (envelopes: readonly Envelope[]) =>
      joinAll(envelopes).flatMap(({ type, delta, id, name, agent }) =>
        received.has(type)
          ? [{ type, delta, id, name, isRoot: agent === envelopes[0]?.agent }]
          : [],
      )
    const expected = runEnvelopes.filter(({ agent }) => agent === root?.agent)
    // Arguments are in the start of their block, where any reader of the API reads them as a value.
    const valued = pick(expected).map((one) => ({
      ...one,
      delta: one.delta.replace('1.50', '1.5'),
    }))
    expect(pick(envelopesOf(json))).toEqual(valued)
    const image = envelopesOf(json).find(({ type }) => type === 'tool_result_image')
    expect(image).toMatchObject({ id: 'toolu_1', name: 'grind', src: '/i/1' })
  })

  test('the usage of steps is added', async () => {
    const [message] = await accumulate(await convert(fixtures['json'] ?? '', 'json', 'anthropic'))
    expect(message).toMatchObject({
      model: 'model-1',
      usage: { input_tokens: 8, output_tokens: 10 },
    })
  })

  test('content of a run besides its model is reported', async () => {
    const { complaints } = await runConvert(
      pieces(fixtures['json'] ?? '', 99),
      '--from',
      'json',
      '--to',
      'raw',
    )
    expect(complaints).toBe(
      'A stream of the Messages API cannot express: 4 messages of sub-agents.',
    )
  })

  test.each(['json', 'xml'])('an interrupted run of %s is an error', async (source) => {
    const fixture = fixtures[source] ?? ''
    const cut = fixture.slice(0, fixture.indexOf('turns.') + 10)
    const frames = framesOf(await convert(cut.slice(0, cut.lastIndexOf('\n\n') + 2), source, 'raw'))
    expect(frames.at(-1)).toMatchObject({ event: 'error' })
  })

  test('an error and a rollback of a run end its message', async () => {
    const start = runEnvelopes.slice(0, 4)
    const ends = [
      { type: 'error', delta: '{"type":"overloaded_error","message":"Overloaded"}' },
      { type: 'rollback', delta: '{"step":1}' },
    ]
    for (const end of ends) {
      const last = { ...end, agent: start[0]?.agent ?? '', final: true }
      const lines = [...start, last].map(encodeEnvelope).join('\n')
      const frames = framesOf(await convert(lines, 'json', 'raw'))
      expect(frames.at(-1)?.event, end.type).toBe('error')
      expect(frames.filter(({ event }) => event === 'error')).toHaveLength(1)
    }
  })
})

describe('segments', () => {
  test('content that they cannot express is reported', async () => {
    const args = ['--from', 'json', '--to', 'segments']
    const { complaints } = await runConvert(pieces(fixtures['json'] ?? '', 99), ...args)
    expect(complaints).toBe(
      'segments cannot express: 1 citation, 1 tool_result, 1 tool_result_image.',
    )
  })

  test('parser events that were stored as lines end there', async () => {
    const lines = [
      { type: 'SEGMENT_START', segment_id: 's', segment_type: 'text', payload: { metadata: {} } },
      { type: 'SEGMENT_CONTENT', segment_id: 's', payload: { delta: 'Hi' } },
      { type: 'SEGMENT_END', segment_id: 's', payload: {} },
    ].map((event) => `${JSON.stringify(event)}\n`)
    const args = ['--from', 'segments', '--to', 'text']
    const whole = await runConvert(pieces(lines.join(''), 9), ...args)
    expect(whole).toEqual({ code: 0, output: 'Hi\n', complaints: '' })
    const cut = await runConvert(pieces(lines.slice(0, 2).join(''), 9), ...args)
    expect(cut.complaints).toContain('The input was truncated')
  })
})

describe('the format of the input', () => {
  test.each(from)('%s is recognized, byte by byte and at once', async (source) => {
    const fixture = fixtures[source] ?? ''
    for (const size of [1, 1 << 16]) {
      const { output, complaints } = await runConvert(pieces(fixture, size), '--to', 'text')
      expect({ output, complaints }).toEqual({ output: text[source], complaints: '' })
    }
  })

  test('that is unknown is reported', async () => {
    const body = 'data: {"hello":1}\n\n'
    for (const input of [body, body.repeat(20), 'hello', '{"hello":\n1}']) {
      const received = await runConvert(pieces(input, 7), '--to', 'json')
      expect(received).toMatchObject({ code: 2, output: '' })
      expect(received.complaints).toContain('has no known format')
    }
  })

  test('that differs from the named one is reported', async () => {
    const args = ['--from', 'ai-sdk', '--to', 'json']
    const { code, complaints } = await runConvert(pieces(fixtures['ag-ui'] ?? '', 99), ...args)
    expect([code, complaints]).toEqual([2, expect.stringContaining('use --from ag-ui')])
  })
})

describe('transcript and text', () => {
  test('a transcript is the text that a user sees', async () => {
    const view = JSON.parse(await convert(fixtures['json'] ?? '', 'json', 'transcript')) as unknown
    expect(view).toMatchObject({
      status: 'complete',
      final_text: 'Done: 1.5 kg.',
      agents: { [runEnvelopes[0]?.agent ?? '']: { blocks: { length: 4 } } },
    })
  })

  test('an incomplete stream is shown as incomplete', async () => {
    const lines = runEnvelopes.slice(0, 4).map(encodeEnvelope).join('\n')
    const args = ['--from', 'json', '--to', 'transcript']
    const { output, complaints } = await runConvert(pieces(lines, 99), ...args)
    expect(JSON.parse(output)).toMatchObject({ status: 'error', error_code: 'stream_truncated' })
    expect(complaints).toContain('has no [DONE]')
  })

  test('a stream that was stored as lines needs no [DONE]', async () => {
    const lines = runEnvelopes.map(encodeEnvelope).join('\n')
    const args = ['--from', 'json', '--to', 'transcript']
    const { output, complaints } = await runConvert(pieces(lines, 99), ...args)
    expect(JSON.parse(output)).toMatchObject({ status: 'complete' })
    expect(complaints).toBe('')
  })

  test('text after a message of a user follows a blank line', async () => {
    const [init] = runEnvelopes
    const say = (type: string, delta: string, final = true) => ({
      type,
      agent: init!.agent,
      final,
      delta,
    })
    const lines = [
      init!,
      say('text', 'Grinding.', false),
      say('text', ''),
      say('user_message', 'Finer, please.'),
      say('text', 'Grinding finer.', false),
      say('text', ''),
      say('meta_end', '{"stop_reason":"end_turn"}'),
    ]
    const body = lines.map(encodeEnvelope).join('\n')
    expect(await convert(body, 'json', 'text')).toBe('Grinding.\n\nGrinding finer.\n')
  })

  test('text that was rolled back is not written', async () => {
    const [init, ...rest] = runEnvelopes
    const say = (type: string, delta: string, final = true) => ({
      type,
      agent: init!.agent,
      final,
      delta,
    })
    const lines = [
      init!,
      say('text', 'Wrong', false),
      say('text', ''),
      say('rollback', '{}'),
      ...rest,
    ]
    expect(await convert(lines.map(encodeEnvelope).join('\n'), 'json', 'text')).toBe(text['json'])
  })
})
