import { describe, expect, test } from 'vitest'
import { MillraceError } from '../errors/index.ts'
import { checkFormats, defineFormat } from './check-format.ts'
import type { FormatBlock, Body, Format, Open } from './format.ts'
import { presets } from './formats/presets.ts'
import { seedXml } from './formats/tags/seed-xml.ts'
import { toolLines } from './formats/json/known-tools.ts'
import { toolTags } from './formats/tags/coding-tools.ts'
import { createSegmentParser } from './parser.ts'

const raw: Body = { raw: { segment: 'reasoning', close: ['</a>'] } }
const open: Open = { literal: '<a>' }

function formatOf(block: object): Format {
  return { name: 'mine', blocks: [{ open: { literal: '<z>' }, body: raw }, block as FormatBlock] }
}

function messageOf(format: unknown): string {
  try {
    defineFormat(format as Format)
  } catch (error) {
    if (error instanceof MillraceError && error.code === 'format_invalid') return error.message
    throw error
  }
  return 'nothing is wrong'
}

const bodies: Readonly<Record<string, readonly [body: unknown, message: string]>> = {
  'no kind of body': [{}, 'body must have exactly one of: raw, arguments, calls'],
  'two kinds of body': [{ ...raw, calls: {} }, 'body must have exactly one of'],
  'an unknown kind of body': [{ yaml: {} }, 'body must have exactly one of'],
  'no body': [undefined, 'body must have exactly one of'],
  'a raw body without a closer': [
    { raw: { segment: 'text', close: [] } },
    'A raw body without a closer has no end.',
  ],
  'two states of one tool': [
    { tools: { name: 'name', states: { Sql: raw, SQL: raw }, otherwise: raw } },
    'state of "SQL": another state has the same name in another case.',
  ],
  'a state that never ends': [
    { tools: { name: 'name', states: { sql: { raw: { segment: 'text' } } }, otherwise: raw } },
    'state of "sql": A raw body without a closer has no end.',
  ],
  'no body for other tools': [
    { tools: { name: 'name' } },
    'otherwise: body must have exactly one of',
  ],
  'no attribute that names the tool': [
    { tools: { otherwise: raw } },
    'The attribute that names the tool',
  ],
  'an empty closer': [{ raw: { segment: 'text', close: [''] } }, 'The closer is empty.'],
  'a closer that is not text': [
    { raw: { segment: 'text', close: [5] } },
    'The closer must be a text.',
  ],
  'a closer of an unknown kind': [
    { raw: { segment: 'text', close: [{ tag: 'a' }] } },
    'The closer must be a text, anyCaseOf, endTag or startTag.',
  ],
  'an empty end tag': [
    { raw: { segment: 'text', close: [{ endTag: '' }] } },
    'The closer is empty.',
  ],
  'an end tag with its brackets': [
    { raw: { segment: 'text', close: [{ endTag: '</a>' }] } },
    'The closer "</a>" is not a tag name',
  ],
  'a closer in any case beyond ASCII': [
    { raw: { segment: 'text', close: [{ anyCaseOf: 'İ' }] } },
    'The closer "İ" has letters beyond ASCII',
  ],
  'a closer that equals the opener': [
    { raw: { segment: 'text', close: ['<a>'] } },
    '"<a>" both opens and closes the block.',
  ],
  'an empty marker to absorb': [
    { raw: { segment: 'text', close: ['x'], absorb: [''] } },
    'A marker in absorb is empty.',
  ],
  'an unknown segment': [
    { raw: { segment: 'song', close: ['x'] } },
    'segment is "song". It must be one of: text, tool_call',
  ],
  'an unknown segment of an attribute': [
    { raw: { segment: { attribute: 'type', values: { a: 'song' } }, close: ['x'] } },
    'segment is "song".',
  ],
  'an unknown trim': [
    { raw: { segment: 'text', close: ['x'], trim: 'all' } },
    'trim is "all". It must be one of: nothing, newline.',
  ],
  'arguments without a tool name': [{ arguments: {} }, 'the tool has no name.'],
  'fields without a tool name': [
    { fields: { field: { tag: 'b' }, close: 'tag', end: ['x'] } },
    'the tool has no name.',
  ],
  'an empty separator': [{ calls: { separators: [''] } }, 'A separator is empty.'],
  'a wrapper that never ends': [
    { wrapper: { close: [], blocks: [{ open, body: raw }] } },
    'A wrapper has no end.',
  ],
  'a wrapper without blocks': [
    { wrapper: { close: ['x'], blocks: [] } },
    'the wrapper has no blocks.',
  ],
  'an invalid block in a wrapper': [
    { wrapper: { close: ['x'], blocks: [{ open: { literal: '' }, body: raw }] } },
    'block 2, in its wrapper, block 1: The opener is empty.',
  ],
  'equal blocks in a wrapper': [
    {
      wrapper: {
        close: ['x'],
        blocks: [
          { open, body: raw },
          { open, body: raw },
        ],
      },
    },
    'it begins with "<a>", and so does block 2, in its wrapper, block 1.',
  ],
  'a name that never ends': [
    { named: { until: [], pattern: /(?<name>a)/, body: { arguments: {} } } },
    'the name has no end.',
  ],
  'a pattern without a name': [
    { named: { until: ['x'], pattern: /(?<tool>a)/, body: { arguments: {} } } },
    'has no group (?<name>…)',
  ],
  'a pattern that is not a regular expression': [
    { named: { until: ['x'], pattern: 'a', body: { arguments: {} } } },
    'The pattern of the name must be a regular expression.',
  ],
  'a global pattern': [
    { named: { until: ['x'], pattern: /(?<name>a)/g, body: { arguments: {} } } },
    'has the flag g or y.',
  ],
  'a sticky pattern': [
    { named: { until: ['x'], pattern: /(?<name>a)/y, body: { arguments: {} } } },
    'has the flag g or y.',
  ],
  'an invalid body after the name': [
    { named: { until: ['x'], pattern: /(?<name>a)/, body: {} } },
    'body must have exactly one of',
  ],
  'a switch without cases': [{ switch: [] }, 'the switch has no cases.'],
  'a global case': [
    { switch: [{ first: /a/g, body: { calls: {} } }] },
    'block 2, case 1: first /a/g has the flag g or y.',
  ],
  'an invalid body in a case': [
    {
      switch: [
        { first: /a/, body: { calls: {} } },
        { first: /b/, body: {} },
      ],
    },
    'block 2, case 2: body must have',
  ],
  'a custom body that is not a function': [{ custom: 'x' }, 'custom must be a generator function.'],
}

describe('a body', () => {
  test.each(Object.entries(bodies))('%s', (_name, [body, message]) => {
    const found = messageOf(formatOf({ open, body }))
    expect(found).toMatch(/^Format "mine", block 2[:,]/)
    expect(found).toContain(message)
  })
})

const fields = { field: { tag: 'b' }, close: 'tag', end: ['</a>'] }
const fieldBodies: Readonly<Record<string, readonly [fields: object, message: string]>> = {
  'no end': [{ ...fields, end: [] }, 'A call has no end.'],
  'no end given': [{ ...fields, end: undefined }, 'A call has no end.'],
  'no field': [{ ...fields, field: undefined }, 'there is no field.'],
  'a field without a key': [
    { ...fields, field: { literal: '<b>' }, close: '</b>' },
    'the field has no key.',
  ],
  'the end tag of a field without a tag': [
    { ...fields, field: { assign: '<b=' } },
    'close is "tag", but the field is not opened by a tag.',
  ],
  'an empty closer of a field': [{ ...fields, close: '' }, 'The closer of a field is empty.'],
  'an invalid field': [
    { ...fields, field: { tag: 'b b' } },
    'block 2, field: The tag "b b" is not a tag name',
  ],
  'an unknown trim': [{ ...fields, trim: 'both' }, 'trim is "both".'],
  'an empty marker to skip': [{ ...fields, skip: [''] }, 'A marker in skip is empty.'],
}

describe('fields', () => {
  test.each(Object.entries(fieldBodies))('%s', (_name, [body, message]) => {
    expect(messageOf(formatOf({ open: { tag: 'a' }, body: { fields: body } }))).toContain(message)
  })
})

const opens: Readonly<Record<string, readonly [open: unknown, message: string]>> = {
  'no kind of opener': [
    {},
    'open must have exactly one of: literal, tag, assign, header, pair, probe.',
  ],
  'no opener': [undefined, 'open must have exactly one of'],
  'two kinds of opener': [{ literal: '<a>', tag: 'a' }, 'open must have exactly one of'],
  'an empty opener': [{ literal: '' }, 'The opener is empty.'],
  'one empty opener of two': [{ literal: ['<a>', ''] }, 'The opener is empty.'],
  'no openers': [{ literal: [] }, 'there is no opener.'],
  'an unknown place': [
    { literal: '<a>', at: 'page' },
    'at is "page". It must be one of: anywhere, line, stream.',
  ],
  'an empty tag': [{ tag: '' }, 'The tag is empty.'],
  'no tags': [{ tag: [] }, 'there is no tag.'],
  'a tag with its bracket': [{ tag: '<a' }, 'The tag "<a" is not a tag name'],
  'a tag that begins with a digit': [{ tag: '1a' }, 'The tag "1a" is not a tag name'],
  'a tag in any case beyond ASCII': [
    { tag: 'größe', anyCase: true },
    'The tag "größe" has letters beyond ASCII, which cannot be matched in any case. Omit anyCase.',
  ],
  'an empty prefix': [{ tag: 'a', prefix: '' }, 'The prefix or end of the tag is empty.'],
  'an empty attribute': [{ tag: 'a', require: [''] }, 'The name of a required attribute is empty.'],
  'an empty assignment': [{ assign: '' }, 'The opener is empty.'],
  'an empty header': [{ header: '', end: ']]' }, 'The marker of the header is empty.'],
  'half a pair': [{ pair: ['<k>', '</k>'] }, 'a pair has three markers'],
  'an empty marker of a pair': [{ pair: ['<k>', '', '<v>'] }, 'A marker of the pair is empty.'],
  'a probe without characters': [
    { probe: () => undefined, first: '', at: 'line' },
    'a probe needs in `first` the characters',
  ],
  'a probe that is not a function': [
    { probe: true, first: '[', at: 'line' },
    'probe must be a generator function.',
  ],
}

describe('an opener', () => {
  test.each(Object.entries(opens))('%s', (_name, [given, message]) => {
    expect(messageOf(formatOf({ open: given, body: raw }))).toContain(
      `Format "mine", block 2: ${message}`,
    )
  })
})

describe('a format', () => {
  test('without a name', () => {
    expect(messageOf({ name: '', blocks: [{ open, body: raw }] })).toContain(
      'The name of a format is empty.',
    )
  })

  test('without blocks', () => {
    expect(messageOf({ name: 'mine', blocks: [] })).toBe(
      'Format "mine": there are no blocks. Give at least one.',
    )
    expect(messageOf({ name: 'mine' })).toContain('there are no blocks.')
  })

  test('with an empty orphan', () => {
    expect(messageOf(formatOf({ open, body: raw, orphans: [''] }))).toContain(
      'A marker in orphans is empty.',
    )
  })

  test('with two blocks with the same opener', () => {
    expect(
      messageOf({
        name: 'mine',
        blocks: [
          { open, body: raw },
          { open: { literal: ['<b>', '<a>'] }, body: raw },
        ],
      }),
    ).toBe(
      'Format "mine", block 2: it begins with "<a>", and so does block 1. Remove one of them, or give them one body that distinguishes the two.',
    )
  })

  test('is checked when a parser is created, and returned by defineFormat', () => {
    const format: Format = { name: 'mine', blocks: [{ open, body: raw }] }
    expect(defineFormat(format)).toBe(format)
    expect(() => createSegmentParser({ formats: [{ ...format, blocks: [] }] })).toThrow(
      'there are no blocks',
    )
  })
})

describe('several formats', () => {
  const first: Format = { name: 'first', blocks: [{ open, body: raw }] }
  const second: Format = { name: 'second', blocks: [{ open, body: raw }] }

  test('with the same opener are rejected', () => {
    expect(() => checkFormats([first, second])).toThrow(
      'Format "second", block 1: it begins with "<a>", and so does block 1 of format "first".',
    )
    expect(() => createSegmentParser({ formats: ['anthropic', 'olmo3'] })).not.toThrow()
    expect(() => createSegmentParser({ formats: ['jamba', 'hunyuan3'] })).toThrow('<tool_calls>')
  })

  test('may share a block, and tags that require different attributes', () => {
    expect(() => checkFormats([first, { name: 'third', blocks: first.blocks }])).not.toThrow()
    const named: FormatBlock = { open: { tag: 'a', require: ['name'] }, body: raw }
    const typed: FormatBlock = { open: { tag: 'a', require: ['type'] }, body: raw }
    expect(() => checkFormats([{ name: 'tags', blocks: [named, typed] }])).not.toThrow()
    expect(() =>
      createSegmentParser({ formats: ['hermes', 'glm', 'functionary', 'longcat'] }),
    ).not.toThrow()
    expect(() =>
      createSegmentParser({ formats: ['anthropic', 'minimax-m2', 'dots'] }),
    ).not.toThrow()
  })
})

test.each(Object.entries(presets))('the preset %s is valid', (_name, preset) => {
  expect(() => checkFormats([preset])).not.toThrow()
})

test('the formats for the tools of an agent are valid', () => {
  const made = [toolTags({ read: ['path'], stop: [] }), toolLines(['read', 'stop'])]
  expect(() => checkFormats(made)).not.toThrow()
})

test('states for the tools of <tool> are checked with the format', () => {
  const create = (markers: readonly string[][]) => {
    const states = { sql: { markers: markers as [string, string][] } }
    return () => createSegmentParser({ formats: [seedXml({ states })] })
  }
  expect(create([['__START__', '__END__']])).not.toThrow()
  expect(create([['__START__']])).toThrow('markers come in pairs')
  expect(create([['__START__', '']])).toThrow('A marker around content is empty')
})
