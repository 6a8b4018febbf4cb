import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anySchema } from '../../../../test/support/models/any-schema.ts'
import { readAnswer, syntaxes } from '../../../../test/support/models/text-tools.ts'
import { endOf } from '../../../../test/support/models/anthropic-events.ts'
import type { ToolSchema } from '../../../events/index.ts'
import { chooseSyntax } from '../choose-syntax.ts'
import { describeParameters } from './describe-schema.ts'
import { exampleArguments } from './example-value.ts'
import { toToolPrompt } from './tool-prompt.ts'

const reserve: ToolSchema = {
  name: 'book_table',
  description: 'Books a table.',
  inputSchema: {
    type: 'object',
    required: ['city', 'guests'],
    properties: {
      city: { type: 'string', description: 'Where to eat.' },
      guests: { type: 'integer', minimum: 1, maximum: 12 },
      kind: { enum: ['inside', 'outside'], default: 'inside' },
      dishes: {
        type: 'array',
        description: 'What to prepare\nbeforehand.',
        items: { $ref: '#/$defs/dish' },
      },
      contact: {
        anyOf: [
          { type: 'string', format: 'email' },
          { type: 'object', properties: { phone: { type: ['string', 'null'] } } },
        ],
      },
    },
    $defs: {
      dish: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string' }, vegan: { type: 'boolean' } },
      },
    },
  },
}

test('describes tools in words', () => {
  expect(describeParameters(reserve.inputSchema).join('\n')).toBe(
    `- city (string, required): Where to eat.
- guests (whole number, required, at least 1, at most 12)
- kind (one of "inside", "outside", optional, default "inside")
- dishes (list of object, optional): What to prepare
  beforehand.
  - name (string, required)
  - vegan (true or false, optional)
- contact (string or object, optional)
  - if an object
    - phone (string or null, optional)`,
  )
})

test('explains the syntax, the tools and one example', () => {
  const { notation } = chooseSyntax({ syntax: 'xml' }, 'any')
  const prompt = toToolPrompt([reserve], {
    notation,
    types: { book_table: { city: 'string', guests: 'integer' } },
  })
  expect(prompt).toContain('<tool name="name_of_the_tool">')
  expect(prompt).toContain('CDATA')
  expect(prompt).toContain('<tool_result name="name_of_the_tool">')
  expect(prompt).toContain('## book_table\n\nBooks a table.\n\nParameters:\n- city')
  expect(prompt).toMatch(
    /<tool name="book_table">\n<arguments>\n<arg name="city">Oslo<\/arg>\n<arg name="guests">3<\/arg>\n<\/arguments>\n<\/tool>$/,
  )
})

test.each(syntaxes)('a model that repeats the example in %s has called the tool', (syntax) => {
  const { notation } = chooseSyntax({ syntax }, 'any')
  const prompt = toToolPrompt([reserve], { notation, types: {} })
  const example = prompt.slice(prompt.indexOf('A call of book_table:') + 22).trimStart()
  const { content } = endOf(readAnswer([example], [reserve], { syntax }))
  const input = exampleArguments(reserve.inputSchema)
  expect(content).toMatchObject([{ type: 'tool_use', name: 'book_table', input }])
})

test('describes any schema, at a length in proportion to it', () => {
  fc.assert(
    fc.property(anySchema, (schema) => {
      const text = describeParameters(schema).join('\n')
      expect(text.length).toBeLessThan(JSON.stringify(schema).length * 40 + 1000)
      for (const key of Object.keys(schema['properties'] ?? {}))
        expect(text).toContain(`- ${key} (`)
    }),
  )
})

test('describes a schema that contains itself many times once', () => {
  const names = 'a b c d e f g h i j'.split(' ')
  const properties = Object.fromEntries(names.map((name) => [name, { $ref: '#/$defs/node' }]))
  const schema = {
    $ref: '#/$defs/node',
    $defs: { node: { type: 'object', properties, required: names } },
  }
  expect(describeParameters(schema).length).toBeLessThan(200)
  expect(JSON.stringify(exampleArguments(schema)).length).toBeLessThan(2000)
})
