import { describe, expect, test } from 'vitest'
import { joinSegments } from '../../test/support/segments/join-segments.ts'
import {
  findDisorder,
  mergeEvents,
  readSegments,
} from '../../test/support/segments/read-segments.ts'
import { defineFormat } from './check-format.ts'
import type { FormatBlock, CustomBody, Open } from './format.ts'
import { createSegmentParser } from './parser.ts'

const fail = (): never => {
  throw new Error('A hook failed.')
}

/** Bodies with invalid behaviour. */
const bodies: Readonly<Record<string, CustomBody>> = {
  'throws when it is called': fail,
  *'throws after it has looked ahead'(reader) {
    yield* reader.peek()
    return fail()
  },
  *'throws after it has accepted'(reader) {
    reader.accept()
    yield* reader.peek()
    return fail()
  },
  *'throws inside a segment'(reader) {
    reader.accept()
    reader.segment('run_bash', {}).text('x')
    yield* reader.peek()
    return fail()
  },
  *'throws inside a call'(reader) {
    reader.accept()
    reader.call({ name: 'write_file' }).json('{"content":"x')
    yield* reader.peek()
    return fail()
  },
  *'waits for a step that throws'(reader) {
    reader.accept()
    reader.segment('run_bash', {})
    yield { advance: fail }
    return true
  },
  *'waits for a step that throws, having read nothing'() {
    yield { advance: fail }
    return true
  },
  *'returns false after it has accepted'(reader) {
    yield* reader.peek()
    reader.accept()
    return false
  },
  *'returns false inside a segment'(reader) {
    yield* reader.peek()
    reader.segment('run_bash', {})
    return false
  },
  *'reads nothing and returns true'(reader) {
    yield* reader.peek()
    return true
  },
  *'moves back'(reader) {
    yield* reader.peek()
    reader.position = 0
    return true
  },
  *'starts a segment in another'(reader) {
    reader.accept()
    reader.segment('run_bash', {})
    reader.segment('write_file', {})
    yield* reader.peek()
    return true
  },
  *'starts a call in another'(reader) {
    reader.accept()
    const outer = reader.call({ name: 'f' })
    reader.call({ name: 'g' })
    outer.json('{}')
    yield* reader.peek()
    return true
  },
  *'writes text in a segment'(reader) {
    reader.accept()
    const segment = reader.segment('run_bash', {})
    reader.textSink.text('x')
    segment.end()
    yield* reader.peek()
    return true
  },
  *'writes text before it accepts'(reader) {
    reader.textSink.text('x')
    yield* reader.peek()
    return true
  },
  *'writes after the end of a segment'(reader) {
    reader.accept()
    const segment = reader.segment('run_bash', {})
    segment.end({ malformed: true })
    segment.text('x')
    yield* reader.peek()
    return true
  },
  *'writes after the end of a segment that never started'(reader) {
    reader.accept()
    const segment = reader.segment('reasoning', {}, true)
    segment.end()
    segment.text('x')
    yield* reader.peek()
    return true
  },
  *'moves back after dropping the input'(reader) {
    const { position } = reader
    reader.accept()
    yield* reader.peek()
    reader.input.drop(reader.input.end)
    reader.position = position
    return true
  },
}

const openers: Readonly<Record<string, Open>> = {
  'a literal': { literal: '@@' },
  'a probe': {
    first: '@',
    at: 'anywhere',
    *probe(reader) {
      yield* reader.peek()
      return true
    },
  },
}

const TEXT = 'one @@ two @@@ three <think>hm @@ four</think> five @@'

/** Parses a text with a block that fails, whole and by characters, and returns its segments. */
function readWith(block: FormatBlock) {
  const format = defineFormat({ name: 'failing', blocks: [block] })
  const options = { formats: ['think' as const, format] }
  const [whole, units] = [[TEXT], TEXT.split('')].map((pieces) => readSegments(options, pieces))
  expect(whole?.sources.map((piece) => piece.text).join('')).toBe(TEXT)
  expect(units?.sources.map((piece) => piece.text).join('')).toBe(TEXT)
  expect(findDisorder(units?.events ?? [])).toBeUndefined()
  return { segments: joinSegments(whole?.events ?? []), units: joinSegments(units?.events ?? []) }
}

describe.each(Object.entries(openers))('a body after %s', (_, open) => {
  test.each(Object.entries(bodies))('[SEG-40] that %s does not stop the stream', (name, custom) => {
    const { segments, units } = readWith({ open, body: { custom } })
    const text = segments.map(({ content }) => content).join('')
    for (const word of ['one', 'two', 'three', 'four', 'five'])
      if (name !== 'moves back after dropping the input') expect(text).toContain(word)
    if (name !== 'moves back after dropping the input') expect(units).toEqual(segments)
    const ends = segments.filter(({ type }) => type !== 'text' && type !== 'reasoning')
    for (const { end } of ends) expect(end?.malformed).toBe(true)
  })
})

/** A pattern that throws on every search. */
class FailingPattern extends RegExp {
  override exec(): never {
    return fail()
  }
}

const failing: Readonly<Record<string, FormatBlock>> = {
  'a pattern': {
    open: { literal: '@@' },
    body: {
      named: {
        until: ['@'],
        pattern: new FailingPattern('^(?<name>.*)$'),
        body: { arguments: {} },
      },
    },
  },
  'a probe': {
    open: {
      first: '@',
      at: 'anywhere',
      *probe(reader) {
        yield* reader.peek()
        return fail()
      },
    },
    body: { custom: fail },
  },
}

test.each(Object.entries(failing))('[SEG-40] %s that throws leaves text', (_, block) => {
  const { segments } = readWith(block)
  expect(segments.map(({ type, content }) => [type, content])).toEqual([
    ['text', 'one @@ two @@@ three '],
    ['reasoning', 'hm @@ four'],
    ['text', ' five @@'],
  ])
})

test('[SEG-40] a type that throws ends its call, and the value is text', () => {
  const format = defineFormat({
    name: 'typed',
    blocks: [
      {
        open: { assign: '<call=' },
        body: {
          fields: { field: { assign: '<value=' }, close: '</value>', type: fail, end: ['</call>'] },
        },
      },
    ],
  })
  const text = 'a<call=f><value=k>v</value></call>b'
  for (const pieces of [[text], text.split('')]) {
    const { events, sources } = readSegments({ formats: [format] }, pieces)
    expect(sources.map((piece) => piece.text).join('')).toBe(text)
    expect(joinSegments(events).map(({ type, content, end }) => [type, content, end])).toEqual([
      ['text', 'a', {}],
      ['tool_call', '{}', { malformed: true }],
      ['text', 'v</value></call>b', {}],
    ])
  }
})

test('an error of a listener reaches the caller, and the stream continues', () => {
  let isFailing = true
  const parser = createSegmentParser({
    formats: ['think'],
    onSource: () => {
      if (isFailing) fail()
    },
  })
  expect(() => parser.feed('one')).toThrow('A hook failed.')
  isFailing = false
  const events = mergeEvents([...parser.feed(' two <think>hm</think> three'), ...parser.finalize()])
  expect(joinSegments(events).map(({ content }) => content)).toEqual(['one two ', 'hm', ' three'])
})
