import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  blockDelta,
  blockStart,
  blockStop,
  endOf,
  messageEnd,
  messageStart,
  noticesOf,
  readEvents,
  textBlock,
  toolBlock,
  withoutNotices,
} from '../../../../test/support/models/anthropic-events.ts'
import {
  checkModelEvents,
  readChecked as read,
} from '../../../../test/support/models/check-model-events.ts'
import type { JsonObject } from '../../../json/index.ts'
import { createMessageReader } from './message-reader.ts'

/** Splits text at random positions, also into empty parts. */
function pieces(text: fc.Arbitrary<string>): fc.Arbitrary<string[]> {
  return fc.tuple(text, fc.array(fc.nat(), { maxLength: 6 })).map(([whole, cuts]) => {
    const places = [0, ...cuts.map((cut) => cut % (whole.length + 1)), whole.length]
    places.sort((a, b) => a - b)
    return places.slice(1).map((place, position) => whole.slice(places[position], place))
  })
}

const unicode = fc.string({ unit: 'binary', maxLength: 40 })

const anyBlocks = fc.array(
  fc.oneof(
    pieces(unicode).map((parts) => textBlock(0, ...parts)),
    pieces(fc.dictionary(unicode, fc.jsonValue()).map((input) => JSON.stringify(input))).map(
      (parts) => toolBlock(0, 'f', ...parts),
    ),
    pieces(unicode).map((parts) => [
      blockStart(0, { type: 'thinking', thinking: '', signature: '' }),
      ...parts.map((thinking) => blockDelta(0, 'thinking_delta', { thinking })),
      blockDelta(0, 'signature_delta', { signature: 'c2ln' }),
      blockStop(0),
    ]),
    fc
      .constantFrom('web_search_tool_result', 'redacted_thinking', 'container_upload', 'new_thing')
      .map((type) => [blockStart(0, { type, data: [1] }), blockStop(0)]),
  ),
  { maxLength: 5 },
)

const anyMessage = anyBlocks.map((blocks): JsonObject[] => [
  messageStart(),
  ...blocks.flatMap((events, index) => events.map((event) => ({ ...event, index }))),
  ...messageEnd(),
])

describe('blocks', () => {
  test('are complete at the end of any message for any chunks', () => {
    fc.assert(
      fc.property(anyMessage, (events) => {
        const out = readEvents(events)
        checkModelEvents(out)
        const end = endOf(out)
        expect(end.outcome).toBe('finished')
        expect(noticesOf(out)).toEqual([])
        const started = events.filter((event) => event['type'] === 'content_block_start')
        expect(end.content.map(({ type }) => type)).toEqual(
          started.map((event) => (event['content_block'] as JsonObject)['type']),
        )
      }),
    )
  })

  test('have tool input parsed, and kept as text', () => {
    const input = fc.dictionary(unicode, fc.jsonValue()).map((value) => JSON.stringify(value))
    fc.assert(
      fc.property(pieces(input), (parts) => {
        const out = read(messageStart(), toolBlock(0, 'f', ...parts))
        const end = out.find((event) => event.type === 'block_end')
        expect(end?.inputText).toBe(parts.join(''))
        expect(end?.content['input']).toEqual(JSON.parse(parts.join('')))
      }),
    )
  })

  test('keep exact numbers in inputText', () => {
    const text = '{"id": 12345678901234567890, "x": 1e400}'
    const end = read(messageStart(), toolBlock(0, 'f', text)).find((e) => e.type === 'block_end')
    expect(end?.inputText).toBe(text)
  })

  test('keep __proto__ in tool input as an own field', () => {
    const out = read(messageStart(), toolBlock(0, 'f', '{"__proto__":{"x":1}}'), messageEnd())
    const input = endOf(out).content[0]?.['input']
    expect(JSON.stringify(input)).toBe('{"__proto__":{"x":1}}')
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false)
  })

  test('keep input of the start if no delta or only empty ones follow', () => {
    const start = { type: 'tool_use', id: 't', name: 'f', input: { a: 1 } }
    for (const deltas of [[], [blockDelta(0, 'input_json_delta', { partial_json: '' })]]) {
      const out = read(messageStart(), blockStart(0, start), deltas, blockStop(0), messageEnd())
      expect(endOf(out).content).toEqual([start])
      expect(out.find((event) => event.type === 'block_end')?.inputText).toBe('{"a":1}')
    }
  })

  test.each([null, '', [1]])('input %j that came with the start is no input', (input) => {
    const call = blockStart(0, { type: 'tool_use', id: 't', name: 'f', input })
    const out = read(messageStart(), call, blockStop(0), messageEnd('tool_use'))
    expect(endOf(out).content[0]?.['input']).toEqual({})
  })

  test('have the input {} if the model wrote none', () => {
    const out = read(messageStart(), toolBlock(0, 'f', ''), messageEnd('tool_use'))
    expect(out.find((event) => event.type === 'block_end')).toMatchObject({
      inputText: '{}',
      content: { input: {} },
    })
  })

  test.each(['{"a": ', '[1]', '"text"', 'null', ' '])(
    'input %j that is no JSON object is kept as text, with a notice',
    (text) => {
      const out = read(messageStart(), toolBlock(0, 'f', text), messageEnd('tool_use'))
      expect(out.find((event) => event.type === 'block_end')).toMatchObject({
        inputText: text,
        content: { input: {} },
      })
      expect(noticesOf(out)).toHaveLength(1)
    },
  )

  test('have the last signature, and thinking without text is kept', () => {
    const sign = (signature: string) => blockDelta(0, 'signature_delta', { signature })
    const start = blockStart(0, { type: 'thinking', thinking: '' })
    const out = read(messageStart(), start, sign('one'), sign('two'), blockStop(0), messageEnd())
    expect(endOf(out).content).toEqual([{ type: 'thinking', thinking: '', signature: 'two' }])
  })

  test('have citations, which are also emitted as events', () => {
    const citation = { type: 'char_location', cited_text: 'green', document_index: 0 }
    const out = read(
      messageStart(),
      blockStart(0, { type: 'text', text: '', citations: [] }),
      blockDelta(0, 'citations_delta', { citation }),
      blockDelta(0, 'text_delta', { text: 'x' }),
      blockStop(0),
      messageEnd(),
    )
    expect(out).toContainEqual({ type: 'block_citation', block: 0, citation })
    expect(endOf(out).content).toEqual([{ type: 'text', text: 'x', citations: [citation] }])
  })

  test.each(['citations', 'content_block'])(
    '[MAP-3] keep citations that only the stop has, in its %s, and emit no others twice',
    (place) => {
      const cited = (cited_text: string) => ({ type: 'char_location', cited_text })
      const all = [cited('a'), cited('b'), cited('a')]
      const listed = place === 'citations' ? all : { type: 'text', text: 'x', citations: all }
      const out = read(
        messageStart(),
        blockStart(0, { type: 'text', text: '' }),
        blockDelta(0, 'citations_delta', { citation: cited('a') }),
        blockDelta(0, 'text_delta', { text: 'x' }),
        { ...blockStop(0), [place]: listed },
        messageEnd(),
      )
      const emitted = out.flatMap((event) =>
        event.type === 'block_citation' ? [event.citation] : [],
      )
      expect(emitted).toEqual(all)
      expect(endOf(out).content).toEqual([{ type: 'text', text: 'x', citations: all }])
    },
  )

  test('[MAP-3] of other types drop citations of the stop', () => {
    const stop = { ...blockStop(0), citations: [{ type: 'char_location' }] }
    const out = read(messageStart(), blockStart(0, { type: 'new_thing' }), stop, messageEnd())
    expect(endOf(out).content).toEqual([{ type: 'new_thing' }])
  })

  test('emit text of the start as the first delta', () => {
    const deltas = [blockDelta(0, 'text_delta', { text: '-post' }), blockStop(0)]
    const out = read(messageStart(), blockStart(0, { type: 'text', text: 'PRE' }), deltas)
    expect(out.flatMap((e) => (e.type === 'block_delta' ? [e.text] : []))).toEqual(['PRE', '-post'])
  })

  test('of type compaction have the value of their delta', () => {
    const delta = blockDelta(0, 'compaction_delta', { content: 'so far', encrypted_content: null })
    const start = blockStart(0, { type: 'compaction', content: null })
    const out = read(messageStart(), start, delta, blockStop(0), messageEnd())
    expect(endOf(out).content).toEqual([
      { type: 'compaction', content: 'so far', encrypted_content: null },
    ])
  })

  test('with results of any server tool are complete at their start', () => {
    const block = { type: 'quantum_tool_result', tool_use_id: 's', content: { answer: 42 } }
    const out = read(messageStart(), blockStart(0, block), blockStop(0), messageEnd())
    expect(out[1]).toEqual({
      type: 'block_start',
      block: 0,
      kind: 'server_tool_result',
      content: block,
    })
    expect(endOf(out).content).toEqual([block])
  })

  test('may be complete in the start of the message', () => {
    const content = [
      { type: 'text', text: 'done' },
      { type: 'tool_use', id: 't', name: 'f', input: { a: 1 } },
    ]
    const out = read(messageStart({ content, stop_reason: 'tool_use' }), { type: 'message_stop' })
    expect(endOf(out)).toMatchObject({ outcome: 'finished', content, stopReason: 'tool_use' })
  })
})

describe('event order', () => {
  test('allows pings anywhere', () => {
    fc.assert(
      fc.property(anyMessage, fc.array(fc.nat(), { maxLength: 8 }), (events, places) => {
        const pinged = [...events]
        for (const place of places) pinged.splice(place % (pinged.length + 1), 0, { type: 'ping' })
        expect(readEvents(pinged)).toEqual(readEvents(events))
      }),
    )
  })

  test('at any cut gives the same beginning and one end', () => {
    fc.assert(
      fc.property(anyMessage, fc.nat(), (events, place) => {
        const whole = readEvents(events)
        const cut = readEvents(events.slice(0, place % events.length))
        checkModelEvents(cut)
        expect(whole.slice(0, cut.length - 1)).toEqual(cut.slice(0, -1))
        expect(endOf(cut).outcome).toBe('interrupted')
      }),
    )
  })

  test('keeps open text, and drops an open call or thinking', () => {
    const citation = { type: 'page_location', document_index: 0 }
    const open = [
      messageStart(),
      blockStart(0, { type: 'thinking', thinking: '', signature: '' }),
      blockDelta(0, 'thinking_delta', { thinking: 'hm' }),
      blockStart(1, { type: 'text', text: '' }),
      blockDelta(1, 'citations_delta', { citation }),
      blockDelta(1, 'text_delta', { text: 'half an ' }),
      blockDelta(1, 'text_delta', { text: 'answer' }),
      blockStart(2, { type: 'text', text: '' }),
      blockStart(3, { type: 'tool_use', id: 't', name: 'f', input: {} }),
      blockDelta(3, 'input_json_delta', { partial_json: '{}' }),
    ]
    const content = [{ type: 'text', text: 'half an answer', citations: [citation] }]
    const full = read(open, messageEnd('max_tokens'))
    expect(endOf(full)).toMatchObject({ outcome: 'truncated', stopReason: 'max_tokens', content })
    expect(full.some(({ type }) => type === 'block_end')).toBe(false)
    const failed = { type: 'error', error: { type: 'api_error', message: 'no' } }
    for (const events of [open, [...open, failed]])
      expect(endOf(read(events)).content).toEqual(content)
  })

  test('never throws and ends once for any order', () => {
    const shuffled = anyMessage.chain((events) =>
      fc.shuffledSubarray(events, { minLength: events.length }),
    )
    fc.assert(fc.property(shuffled, (events) => checkModelEvents(readEvents(events))))
  })

  test('assigns a delta or stop with a wrong index to the one open block', () => {
    const out = read(
      messageStart(),
      textBlock(0, 'a'),
      blockStart(0, { type: 'text', text: '' }),
      blockDelta(1, 'text_delta', { text: 'b' }),
      blockDelta(1, 'text_delta', { text: 'c' }),
      blockStop(1),
      textBlock(2, 'd'),
      messageEnd(),
    )
    expect(endOf(out).content.map((block) => block['text'])).toEqual(['a', 'bc', 'd'])
    expect(noticesOf(out)).toHaveLength(1)
  })

  test('assigns deltas to two open blocks and keeps their start order', () => {
    const text = { type: 'text', text: '' }
    const out = read(
      messageStart(),
      blockStart(0, text),
      blockStart(1, text),
      blockDelta(0, 'text_delta', { text: 'A' }),
      blockDelta(1, 'text_delta', { text: 'B' }),
      blockDelta(7, 'text_delta', { text: '?' }),
      blockStop(1),
      blockStop(0),
      messageEnd(),
    )
    expect(endOf(out).content.map((block) => block['text'])).toEqual(['A', 'B'])
  })

  test('does not end a call without input at a repeated stop of an earlier block', () => {
    const call = { type: 'tool_use', id: 't', name: 'f', input: {} }
    const out = read(messageStart(), textBlock(0, 'a'), blockStart(1, call), blockStop(0))
    expect(endOf(out).content).toEqual([{ type: 'text', text: 'a' }])
  })

  test('ignores deltas and stops without an open block, with a notice', () => {
    const ghost = [blockDelta(3, 'text_delta', { text: 'ghost' }), blockStop(3)]
    const out = read(ghost, messageStart(), ghost, textBlock(0, 'a'), ghost, messageEnd())
    expect(endOf(out).content).toEqual([{ type: 'text', text: 'a' }])
    expect(noticesOf(out)).toHaveLength(6)
  })

  test('ignores an end before message_start, with a notice', () => {
    const out = read(messageEnd('refusal'), messageStart(), textBlock(0, 'a'), messageEnd())
    expect(endOf(out)).toMatchObject({ outcome: 'finished', usage: { output_tokens: 9 } })
    expect(noticesOf(out)).toHaveLength(2)
  })

  test('starts the message at a block before message_start', () => {
    const out = read(textBlock(0, 'a'), messageEnd())
    expect(withoutNotices(out)[0]).toEqual({ type: 'message_start', messageId: '', model: '' })
    expect(endOf(out)).toMatchObject({ outcome: 'finished', content: [{ text: 'a' }] })
  })

  test('ignores events after the end', () => {
    const reader = createMessageReader()
    for (const event of [messageStart(), ...messageEnd()]) reader.feed(event)
    expect(reader.ended).toBe(true)
    expect(reader.feed(messageStart({ id: 'msg_2' }))).toEqual([])
    expect(reader.end({ outcome: 'aborted' })).toEqual([])
  })

  test('drops a block that is open at message_stop', () => {
    const call = blockStart(1, { type: 'tool_use', id: 't', name: 'f', input: {} })
    const out = read(messageStart(), textBlock(0, 'a'), call, messageEnd('max_tokens'))
    expect(endOf(out)).toMatchObject({
      outcome: 'truncated',
      stopReason: 'max_tokens',
      content: [{ type: 'text', text: 'a' }],
      cut: [{ block: 1, kind: 'tool_call', content: { name: 'f' }, text: '' }],
    })
  })
})

describe('unknown input', () => {
  test('is stored or noted without other effects', () => {
    const out = read(
      messageStart(),
      { type: 'future_event', x: 1 },
      { type: 'constructor' },
      blockStart(0, { type: 'future_block', data: { a: 1 } }),
      blockDelta(0, 'future_delta', { z: 1 }),
      blockStop(0),
      blockStart(1, { type: 'text', text: '' }),
      blockDelta(1, 'input_json_delta', { partial_json: '{' }),
      blockDelta(1, 'text_delta', { text: 'ok' }),
      blockStop(1),
      messageEnd('future_reason'),
    )
    expect(endOf(out)).toMatchObject({
      outcome: 'finished',
      stopReason: 'future_reason',
      content: [
        { type: 'future_block', data: { a: 1 } },
        { type: 'text', text: 'ok' },
      ],
    })
    expect(noticesOf(out)).toHaveLength(4)
  })

  test('never throws for any JSON', () => {
    const types = ['message_start', 'content_block_start', 'content_block_delta', 'message_delta']
    const odd = fc.record(
      {
        type: fc.oneof(fc.constantFrom(...types, 'content_block_stop', 'error'), fc.jsonValue()),
        index: fc.jsonValue(),
        message: fc.jsonValue(),
        content_block: fc.oneof(fc.jsonValue(), fc.constant({ type: 'text' })),
        delta: fc.jsonValue(),
        usage: fc.jsonValue(),
        error: fc.jsonValue(),
      },
      { requiredKeys: ['type'] },
    )
    fc.assert(
      fc.property(fc.array(odd, { maxLength: 12 }), (events) =>
        checkModelEvents(readEvents(events as JsonObject[])),
      ),
    )
  })
})
