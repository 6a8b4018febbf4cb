import { describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import type { JsonObject } from '../json/index.ts'
import { createToolbox, defineTool } from './index.ts'
import { defineFrontendTool } from './define-tool.ts'

const object = { type: 'object' } as const

describe('defineTool', () => {
  test('converts a zod schema to the JSON Schema of its input', () => {
    const tool = defineTool({
      name: 'add',
      description: 'Adds.',
      input: z.object({ a: z.number().describe('first'), b: z.number().default(1) }),
      run: ({ a, b }) => {
        expectTypeOf(b).toEqualTypeOf<number>()
        return a + b
      },
    })
    expect(tool.schema).toEqual({
      name: 'add',
      description: 'Adds.',
      inputSchema: {
        type: 'object',
        properties: {
          a: { type: 'number', description: 'first' },
          b: { type: 'number', default: 1 },
        },
        required: ['a'],
      },
    })
  })

  test('accepts a plain JSON Schema', () => {
    const input = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
    const tool = defineTool({
      name: 'read',
      description: '',
      input,
      run: (value) => expectTypeOf(value).toEqualTypeOf<JsonObject>(),
    })
    expect(tool.schema.inputSchema).toEqual(input)
  })

  test('accepts a schema without JSON Schema if `inputSchema` is given', () => {
    const input = {
      '~standard': { version: 1, vendor: 'tiny', validate: (value: unknown) => ({ value }) },
    } as const
    const definition = { name: 'x', description: '', input, run: () => 'ok' }
    expect(() => defineTool(definition)).toThrow(/tiny schema .* pass `inputSchema`/)
    expect(defineTool({ ...definition, inputSchema: object }).schema.inputSchema).toEqual(object)
  })

  test('rejects tools that a model API would reject, with the remedy', () => {
    const run = () => ''
    for (const name of ['', 'a b', 'é', 'x'.repeat(65)]) {
      expect(() => defineTool({ name, description: '', input: object, run })).toThrow(
        /1 to 64 letters/,
      )
      expect(() => defineFrontendTool({ name, description: '', input: object })).toThrow(/1 to 64/)
    }
    const union = z.union([z.object({}), z.string()])
    expect(() => defineTool({ name: 'u', description: '', input: union, run })).toThrow(
      /must be an object/,
    )
    const date = z.object({ at: z.date() })
    expect(() => defineTool({ name: 'd', description: '', input: date, run })).toThrow(
      /plain types/,
    )
  })
})

test('a toolbox rejects two tools with the same name and finds the others', () => {
  const tool = (name: string) => defineFrontendTool({ name, description: '', input: object })
  expect(() => createToolbox([tool('a'), tool('b'), tool('a')])).toThrow(/named "a"/)
  const toolbox = createToolbox([tool('a'), tool('b')])
  expect(toolbox.schemas.map(({ name }) => name)).toEqual(['a', 'b'])
  expect(toolbox.find('b')?.kind).toBe('frontend')
  expect(toolbox.find('toString')).toBeUndefined()
})

test('limits the number of reported issues', async () => {
  const tool = defineTool({
    name: 'sum',
    description: '',
    input: z.object({ numbers: z.array(z.number()) }),
    run: () => 0,
  })
  const { signal } = new AbortController()
  const ids = { callId: 't', idempotencyKey: 'k', agent: 'a' }
  const context = { signal, ...ids, context: undefined, progress: () => {} }
  const numbers = Array.from({ length: 500 }, () => 'x')
  const checked = await tool.call({ numbers }, context)
  const problem = 'problem' in checked ? checked.problem : ''
  expect(problem.split('\n')).toHaveLength(22)
  expect(problem).toContain('- and 480 more')
})
