import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readEvents, toBody } from '../../test/support/models/anthropic-events.ts'
import { anyMessage } from '../../test/support/frames/any-message.ts'
import { joinAll } from '../../test/support/protocols/legacy-xml.ts'
import { loadRecordings } from '../../test/support/models/recordings.ts'
import { runs } from '../../test/support/runs.ts'
import { decodeEnvelope, type Envelope, createVerifier, type ModelEvent } from '../events/index.ts'
import type { JsonObject } from '../json/index.ts'
import { xmlToEnvelopes } from '../legacy-xml/convert.ts'
import type { Formatter, ProviderInput } from './formatter.ts'
import { jsonFormatter, xmlFormatter } from './wire-formatter.ts'
import { rawFormatter } from './raw-formatter.ts'
const agent = 'a0000000-0000-4000-8000-000000000001'
const run = { runId: 'r', prompt: 'Go' }

function format(formatter: Formatter, inputs: Iterable<ProviderInput>): string[] {
  const frames = [...inputs].flatMap((input) => formatter.feed(input))
  return [...frames, ...formatter.finish()].map(({ data = '' }) => data)
}

/** Splits bytes at positions taken modulo their length. */
function* cutBytes(bytes: Uint8Array, cuts: readonly number[]): Generator<Uint8Array> {
  const places = cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b)
  let from = 0
  for (const place of [...places, bytes.length]) {
    yield bytes.subarray(from, place)
    from = place
  }
}

function violationsOf(lines: readonly string[]): readonly unknown[] {
  const verifier = createVerifier()
  return [...lines.flatMap((line) => verifier.push(line)), ...verifier.end(true)]
}

/** Returns the kind and text of each block that the model wrote. */
function blockTextsOf(events: readonly ModelEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.type !== 'block_end') return []
    const { kind, content, inputText } = event
    if (inputText !== undefined) return [`${kind} ${inputText}`]
    if (kind === 'text' || kind === 'thinking') {
      return [`${kind} ${String(content[kind] ?? '')}`]
    }
    return []
  })
}

const spoken = new Set(['text', 'thinking', 'tool_call', 'server_tool_call'])

function shownIn(lines: readonly string[]): string[] {
  return joinAll(lines.map(decodeEnvelope)).flatMap(({ type, delta }) =>
    spoken.has(type) ? [`${type} ${delta}`] : [],
  )
}

const streams = fc.array(anyMessage, { minLength: 1, maxLength: 2 }).map((all) => all.flat())
const cuts = fc.array(fc.nat(), { maxLength: 8 })
const limit = fc.integer({ min: 512, max: 2048 })

describe('json', () => {
  test('gives the same messages for every split of the bytes, for objects and for model events', () => {
    fc.assert(
      fc.property(anyMessage, cuts, (events, places) => {
        const bytes = new TextEncoder().encode(toBody(events))
        const whole = format(jsonFormatter({ agent }), [bytes])
        expect(format(jsonFormatter({ agent }), cutBytes(bytes, places))).toEqual(whole)
        expect(format(jsonFormatter({ agent }), events)).toEqual(whole)
        expect(format(jsonFormatter({ agent }), readEvents(events))).toEqual(whole)
      }),
      { numRuns: runs(150, 10_000) },
    )
  })

  test('conforms to every rule and the size limit, wherever the bytes end', () => {
    fc.assert(
      fc.property(streams, fc.nat(), limit, fc.boolean(), (events, place, maxBytes, isLive) => {
        const bytes = new TextEncoder().encode(toBody(events))
        const toolInput = isLive ? 'live' : 'buffered'
        const formatter = jsonFormatter({ agent, run, maxBytes, toolInput })
        const lines = format(formatter, [bytes.subarray(0, place % (bytes.length + 1))])
        const verifier = createVerifier({ maxBytes })
        expect(lines.flatMap((line) => verifier.push(line))).toEqual([])
        expect(verifier.end(true)).toEqual([])
      }),
      { numRuns: runs(300, 20_000) },
    )
  })

  test('shows the text of the model', () => {
    fc.assert(
      fc.property(anyMessage, limit, fc.boolean(), (events, maxBytes, isLive) => {
        const toolInput = isLive ? 'live' : 'buffered'
        const formatter = jsonFormatter({ agent, maxBytes, toolInput })
        expect(shownIn(format(formatter, events))).toEqual(blockTextsOf(readEvents(events)))
      }),
      { numRuns: runs(200, 10_000) },
    )
  })
})

/** Removes the fields that the old format cannot carry: ids that only join messages, and `interrupted` of texts. */
function carriedByXml(envelopes: readonly Envelope[]): unknown[] {
  const streamed = new Set(['text', 'thinking', 'citation'])
  return envelopes.map(({ id, interrupted, ...rest }) =>
    streamed.has(rest.type) ? rest : { id, interrupted, ...rest },
  )
}

/** `toEqual` treats an undefined field as absent. */
const substanceOf = (envelopes: Iterable<Envelope>) => carriedByXml(joinAll(envelopes))

describe('xml', () => {
  test('decodes to the same content as the JSON', () => {
    fc.assert(
      fc.property(streams, fc.nat(), (events, place) => {
        const bytes = new TextEncoder().encode(toBody(events))
        const part = bytes.subarray(0, place % (bytes.length + 1))
        const json = format(jsonFormatter({ agent }), [part]).map(decodeEnvelope)
        const xml = format(xmlFormatter({ agent }), [part])
        expect(substanceOf(xmlToEnvelopes(xml, { agent }))).toEqual(substanceOf(json))
        expect(substanceOf(xmlToEnvelopes(xml.join(''), { agent }))).toEqual(substanceOf(json))
      }),
      { numRuns: runs(200, 10_000) },
    )
  })

  test('a run begins with its meta_init and never names its agent', () => {
    const messages = format(xmlFormatter({ agent, run }), readEvents([]))
    expect(messages[0]).toMatch(/^<meta_init data="\{&quot;format&quot;:&quot;xml&quot;/)
    expect(messages[1]).toMatch(/^<content-block-error>/)
    expect(messages).toHaveLength(2)
  })
})

describe('raw', () => {
  test('forwards the data of every frame unchanged, with its event and its id', () => {
    const frame = fc.record(
      {
        data: fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\r', '')),
        event: fc.constantFrom('message_start', 'ping', 'new_event'),
        id: fc.constantFrom('7', 'x'),
      },
      { requiredKeys: ['data'] },
    )
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 6 }), cuts, (frames, places) => {
        const text = frames.map(({ data, event, id }) => {
          const name = event === undefined ? '' : `event: ${event}\n`
          const lines = data.split('\n').map((line) => `data: ${line}\n`)
          return `: comment\n${id === undefined ? '' : `id: ${id}\n`}${name}${lines.join('')}\n`
        })
        const formatter = rawFormatter()
        const bytes = new TextEncoder().encode(text.join(''))
        const found = [...cutBytes(bytes, places)].flatMap((piece) => formatter.feed(piece))
        expect(found).toEqual(frames)
        expect(formatter.finish()).toEqual([])
      }),
      { numRuns: runs(200, 5000) },
    )
  })

  test('writes objects unchanged, unknown ones too', () => {
    const events = [{ type: 'ping' }, { type: 'new_event', n: [1, { a: null }] }]
    expect(events.flatMap((event) => rawFormatter().feed(event))).toEqual([
      { event: 'ping', data: '{"type":"ping"}' },
      { event: 'new_event', data: '{"type":"new_event","n":[1,{"a":null}]}' },
    ])
  })

  test('converts model events to equivalent events of the API', () => {
    fc.assert(
      fc.property(anyMessage, (events) => {
        const meant = readEvents(events).filter((event) => event.type !== 'notice')
        const written = format(rawFormatter(), meant).map((data) => JSON.parse(data) as JsonObject)
        expect(readEvents(written).map(meaningOf)).toEqual(meant.map(meaningOf))
      }),
      { numRuns: runs(200, 10_000) },
    )
  })
})

/** Removes differences without effect: a start may hold text that deltas repeat, and an error carries no usage. */
function meaningOf(event: ModelEvent): unknown {
  if (event.type === 'block_start') return { ...event, content: event.content.type }
  if (event.type !== 'message_end') return event
  const cut = event.cut?.map((block) => ({ ...block, content: block.content.type }))
  return { ...event, cut, ...(event.outcome === 'failed' && { usage: {} }) }
}

/** The old format has no numbers in unknown fields. [XML-12] */
const hasOddNumbers = /citation_all_types_and_unknown/

const recordings = [...loadRecordings(), ...loadRecordings('synthetic')]

describe.skipIf(recordings.length === 0)('recordings', () => {
  test('conform to every rule when formatted, for every split', () => {
    for (const { name, body } of recordings) {
      const bytes = new TextEncoder().encode(body)
      const stride = Math.ceil(bytes.length / 6)
      for (let end = bytes.length; end > 0; end -= stride) {
        const lines = format(jsonFormatter({ agent, run }), [bytes.subarray(0, end)])
        expect(violationsOf(lines), `${name} cut at ${end}`).toEqual([])
      }
    }
  })

  test('have the same content in XML as in JSON', () => {
    for (const { name, body } of recordings.filter((one) => !hasOddNumbers.test(one.name))) {
      const json = format(jsonFormatter({ agent }), [body]).map(decodeEnvelope)
      const xml = format(xmlFormatter({ agent }), [body])
      expect(substanceOf(xmlToEnvelopes(xml, { agent })), name).toEqual(substanceOf(json))
    }
  })
})
