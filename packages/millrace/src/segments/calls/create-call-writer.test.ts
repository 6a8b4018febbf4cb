import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cutList, feedings } from '../../../test/support/cut-text.ts'
import { joinSegments } from '../../../test/support/segments/join-segments.ts'
import { runs } from '../../../test/support/runs.ts'
import { defaultLimits, type SegmentLimits } from '../limits.ts'
import type { ParameterTypes } from '../parameter-types.ts'
import { SegmentEmitter } from '../segment-emitter.ts'
import type { SegmentEndPayload, SegmentEvent } from '../segment-event.ts'
import type { CallStart, CallWriter } from './call-writer.ts'
import { createCallWriter } from './create-call-writer.ts'
import { defaultProjections, type Projections } from './projection.ts'

interface Setting {
  readonly limits?: Partial<SegmentLimits>
  readonly projections?: Projections
  readonly parameters?: ParameterTypes
}

/** Returns the events of a call and its content. */
function write(
  call: CallStart | string,
  fill: (writer: CallWriter) => void,
  setting: Setting = {},
) {
  const emitter = new SegmentEmitter((number) => `seg_${number}`)
  const writer = createCallWriter({
    emitter,
    call: typeof call === 'string' ? { name: call } : call,
    projections: setting.projections ?? defaultProjections,
    limits: { ...defaultLimits, ...setting.limits },
    ...(setting.parameters !== undefined && { parameters: setting.parameters }),
  })
  fill(writer)
  const events = emitter.take()
  return { events, segment: joinSegments(events)[0] }
}

function writeJson(
  name: string,
  pieces: readonly string[],
  { end, ...setting }: Setting & { end?: SegmentEndPayload } = {},
) {
  return write(
    name,
    (writer) => {
      for (const piece of pieces) writer.json(piece)
      writer.end(end)
    },
    setting,
  )
}

function writeFields(call: CallStart | string, fields: Record<string, string>, setting?: Setting) {
  return write(
    call,
    (writer) => {
      for (const [key, value] of Object.entries(fields)) {
        writer.beginField(key)
        for (const unit of value) writer.fieldText(unit)
        writer.endField()
      }
      writer.end()
    },
    setting,
  ).segment
}

function kinds(events: readonly SegmentEvent[]): string[] {
  return events.map((event) =>
    event.type === 'SEGMENT_CONTENT' ? event.payload.delta : event.type.slice('SEGMENT_'.length),
  )
}

describe('a plain call', () => {
  test('has the JSON of the model as its content, as it arrives', () => {
    const { events, segment } = writeJson('Search', ['{"q": ', '', '"x"}'])
    expect(kinds(events)).toEqual(['START', '{"q": ', '"x"}', 'END'])
    expect(segment).toMatchObject({
      type: 'tool_call',
      metadata: { tool_name: 'Search' },
      end: {},
    })
  })

  test('has JSON of its fields, typed by the parameters of the tool', () => {
    const parameters = { n: 'integer', o: 'object' } as const
    const segment = writeFields('f', { n: ' 7 ', q: '7', o: '{"a":1}' }, { parameters })
    expect(segment?.content).toBe('{"n":7,"q":"7","o":{"a":1}}')
  })

  test('types a field by its format rather than by the parameters', () => {
    const { segment } = write(
      'f',
      (writer) => {
        writer.beginField('n', 'string')
        writer.fieldText('7')
        writer.end()
      },
      { parameters: { n: 'integer' } },
    )
    expect(segment?.content).toBe('{"n":"7"}')
  })

  test('without arguments is empty in JSON, and {} in tags', () => {
    expect(writeJson('f', []).segment).toMatchObject({ content: '', end: {} })
    expect(writeFields({ name: 'f', body: 'fields' }, {})).toMatchObject({ content: '{}' })
  })

  test('stays open if it was cut', () => {
    const { segment } = write('f', (writer) => {
      writer.beginField('a')
      writer.fieldText('b')
      writer.end({ complete: false })
    })
    expect(segment).toMatchObject({ content: '{"a":"b', end: { complete: false } })
  })

  test('has the given id and metadata, and no name if there is none', () => {
    const call = { name: '', segmentId: 'call_1', metadata: { call_id: 'x' } }
    expect(write(call, (writer) => writer.end()).segment).toMatchObject({
      id: 'call_1',
      metadata: { call_id: 'x' },
    })
  })

  test('may have the name of a property that every object inherits', () => {
    for (const name of ['constructor', '__proto__', 'toString']) {
      expect(writeFields(name, { constructor: '1' }, { parameters: {} })).toMatchObject({
        type: 'tool_call',
        content: '{"constructor":"1"}',
      })
    }
  })
})

describe('a projected call', () => {
  test('streams its content decoded, once its path is known', () => {
    const { events } = writeJson('write_file', [
      '{"path":"/a',
      '.py",',
      '"content":"x\\',
      'n',
      'y"}',
    ])
    expect(kinds(events)).toEqual(['START', 'x', '\n', 'y', 'END'])
    expect(events[0]).toEqual({
      type: 'SEGMENT_START',
      segment_id: 'seg_1',
      segment_type: 'write_file',
      payload: { metadata: { tool_name: 'write_file', path: '/a.py' } },
    })
  })

  test('is looked up by its name in lower case, and keeps its own spelling', () => {
    expect(writeJson('Run_Bash', ['{"command":"ls"}']).segment).toMatchObject({
      type: 'run_bash',
      metadata: { tool_name: 'Run_Bash' },
      content: 'ls',
      end: {},
    })
  })

  test('starts at once if it has no path', () => {
    const { events } = write('run_bash', () => {})
    expect(kinds(events)).toEqual(['START'])
  })

  test('holds other arguments for its end, with their types', () => {
    const json =
      '{"command":"ls","background":true,"timeout_seconds":5,"why":"a\\nb","o":{"k":[1]}}'
    expect(writeJson('run_bash', [json]).segment?.end).toEqual({
      metadata: { background: true, timeout_seconds: 5, why: 'a\nb', o: { k: [1] } },
    })
  })

  test('types other arguments that arrive as text', () => {
    const fields = { command: '42', background: 'True', timeout_seconds: '5', n: '1', why: '2' }
    const segment = writeFields('run_bash', fields, { parameters: { n: 'number', why: 'string' } })
    expect(segment).toMatchObject({
      content: '42',
      end: { metadata: { background: true, timeout_seconds: 5, n: 1, why: '2' } },
    })
  })

  test('accepts null if the type is null', () => {
    const segment = writeFields('run_bash', { x: 'null' }, { parameters: { x: 'null' } })
    expect(segment?.end).toEqual({ metadata: { x: null } })
  })

  test('trims a path in tags, but no content', () => {
    expect(writeFields('patch_file', { path: '\n/a b\n', patch: '\n@@\n' })).toMatchObject({
      metadata: { path: '/a b' },
      content: '\n@@\n',
    })
  })

  test('ignores nested keys', () => {
    const json = '{"meta":{"path":"WRONG","content":"no"},"path":"right","content":"yes"}'
    expect(writeJson('write_file', [json]).segment).toMatchObject({
      metadata: { path: 'right' },
      content: 'yes',
      end: { metadata: { meta: { path: 'WRONG', content: 'no' } } },
    })
  })

  test('holds content that precedes the path', () => {
    const { events, segment } = writeJson('write_file', ['{"content":"ab', 'c","path":"/p"}'])
    expect(kinds(events)).toEqual(['START', 'ab', 'c', 'END'])
    expect(segment).toMatchObject({ metadata: { path: '/p' }, content: 'abc', end: {} })
  })

  test('starts without a path when too much content is held, and reports the path at the end', () => {
    const pieces = ['{"content":"abc', 'def"', ',"path":"/p"}']
    const { events, segment } = writeJson('write_file', pieces, { limits: { maxHeld: 5 } })
    expect(kinds(events)).toEqual(['START', 'abc', 'def', 'END'])
    expect(segment?.metadata).toEqual({ tool_name: 'write_file' })
    expect(segment?.end).toEqual({ metadata: { path: '/p' } })
  })

  test('starts without a path that is missing, empty or not text', () => {
    for (const rest of ['', ',"path":""', ',"path":null']) {
      expect(writeJson('write_file', [`{"content":"x"${rest}}`]).segment).toMatchObject({
        metadata: { tool_name: 'write_file' },
        content: 'x',
        end: {},
      })
    }
    expect(writeJson('write_file', ['{"path":5,"content":"x"}']).segment?.end).toEqual({
      malformed: true,
    })
    expect(writeJson('write_file', []).segment).toMatchObject({ content: '', end: {} })
  })

  test('uses the first content and the first path', () => {
    const json = '{"path":"/a","path":"/b","content":"x","content":"y"}'
    expect(writeJson('write_file', [json]).segment).toMatchObject({
      metadata: { path: '/a' },
      content: 'x',
      end: {},
    })
  })

  test('never uses another argument as its path', () => {
    const projections: Projections = {
      save: { segment: 'write_file', path: 'file', content: 'text' },
    }
    const json = '{"file":"/a","path":"/etc/passwd","text":"x"}'
    expect(writeJson('save', [json], { projections }).segment).toMatchObject({
      metadata: { path: '/a' },
      end: { malformed: true },
    })
  })

  test('writes content that is not text as JSON, and null as nothing', () => {
    for (const [value, content] of [
      ['{"a": [1]}', '{"a": [1]}'],
      ['12345678901234567890', '12345678901234567890'],
      ['null', ''],
    ]) {
      const { segment } = writeJson('write_file', [`{"path":"/a","content":${value}}`])
      expect(segment).toMatchObject({ content, end: {} })
    }
  })

  test('keeps __proto__ as an own property', () => {
    const { segment } = writeJson('run_bash', ['{"__proto__":{"x":1},"command":"ls"}'])
    const metadata = segment?.end?.metadata
    expect(Object.keys(metadata ?? {})).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(metadata)).toBe(Object.prototype)
  })

  test('reports invalid JSON, and keeps the decoded part', () => {
    const broken = [
      '{"path":"/a","content":"x"} and more',
      '{"path":"/a","content":"x"',
      '[]',
      '{]',
    ]
    for (const json of broken) {
      expect(writeJson('write_file', [json]).segment?.end).toEqual({ malformed: true })
    }
    const { segment } = writeJson('write_file', ['{"path":"/a","content":"caf\\u00'], {
      end: { complete: false },
    })
    expect(segment).toMatchObject({ content: 'caf', end: { complete: false } })
    expect(segment?.end).not.toHaveProperty('malformed')
  })

  test('drops metadata past the limit, and reports it', () => {
    const limits = { maxMetadata: 12 }
    for (const more of ['"b":"123456789"', '"b":[1,2,3,4,5]', '"long key here":1']) {
      const json = `{"command":"ls","a":"1234",${more},"c":1}`
      expect(writeJson('run_bash', [json], { limits }).segment).toMatchObject({
        content: 'ls',
        end: { malformed: true, metadata: { a: '1234' } },
      })
    }
  })

  test('ends once, and ignores later calls', () => {
    const { events } = write('run_bash', (writer) => {
      writer.json('{"command":"ls"}')
      writer.end()
      writer.end({ complete: false })
      writer.json('{"command":"rm"}')
      writer.beginField('command')
      writer.fieldText('rm')
      writer.endField()
    })
    expect(kinds(events)).toEqual(['START', 'ls', 'END'])
  })
})

const argumentList = fc.dictionary(
  fc.oneof(fc.string(), fc.constantFrom('path', 'content', '__proto__', 'mode')),
  fc.oneof(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 2 })),
)
const anyArguments = fc
  .tuple(argumentList, fc.string({ unit: 'binary', minLength: 1 }), fc.string({ unit: 'binary' }))
  .map(([others, path, content]) => ({ ...others, path, content }))

describe('any arguments', () => {
  test('of a projected call are complete, for every split', () => {
    fc.assert(
      fc.property(anyArguments, cutList, (values, cuts) => {
        const text = JSON.stringify(values)
        const { path, content, ...others } = JSON.parse(text)
        for (const pieces of feedings(text, cuts)) {
          const { segment } = writeJson('write_file', pieces)
          expect([segment?.metadata['path'], segment?.content]).toEqual([path, content])
          expect({ ...segment?.end?.metadata }).toEqual(others)
          expect(segment?.end).not.toHaveProperty('malformed')
        }
      }),
      { numRuns: runs(300, 30_000) },
    )
  })

  test('of a call that was cut anywhere give their beginning, for every split, and one end', () => {
    fc.assert(
      fc.property(anyArguments, fc.nat(), cutList, (values, place, cuts) => {
        const text = JSON.stringify(values)
        const prefix = text.slice(0, place % text.length)
        const end = { complete: false } as const
        const [whole, ...others] = feedings(prefix, cuts).map(
          (pieces) => writeJson('write_file', pieces, { end }).segment,
        )
        for (const other of others) expect(other).toEqual(whole)
        expect(whole?.end?.complete).toBe(false)
        expect(values.content.startsWith(whole?.content ?? '')).toBe(true)
      }),
      { numRuns: runs(300, 30_000) },
    )
  })

  test('that are not JSON give the same events for every split', () => {
    const soup = fc
      .array(
        fc.constantFrom(
          '{',
          '}',
          '"path"',
          '"content"',
          ':',
          ',',
          '"/a"',
          '"x\\',
          'n"',
          '[1]',
          'null',
          '"',
          ' ',
        ),
        { maxLength: 20 },
      )
      .map((parts) => `{"path":"/a",${parts.join('')}`)
    fc.assert(
      fc.property(soup, cutList, (text, cuts) => {
        const [whole, ...others] = feedings(text, cuts).map(
          (pieces) => writeJson('write_file', pieces, { limits: { maxHeld: 3 } }).segment,
        )
        for (const other of others) expect(other).toEqual(whole)
      }),
      { numRuns: runs(1000, 100_000) },
    )
  })
})

test('calls onStart just before the start', () => {
  const emitter = new SegmentEmitter((number) => `seg_${number}`)
  let eventsBefore: number | undefined
  const writer = createCallWriter({
    emitter,
    call: { name: 'write_file' },
    projections: defaultProjections,
    limits: defaultLimits,
    onStart: () => {
      eventsBefore = emitter.take().length
    },
  })
  writer.json('{"content":"x",')
  expect(eventsBefore).toBe(undefined)
  writer.json('"path":"/a"}')
  expect(eventsBefore).toBe(0)
})
