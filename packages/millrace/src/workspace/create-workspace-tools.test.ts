import { tmpdir } from 'node:os'
import { describe, expect, test } from 'vitest'
import { createWorkspaceTools, type WorkspaceOptions } from './create-workspace-tools.ts'
import { toLimits } from './limits.ts'
import { flag, optionalText, text, toInputSchema, whole } from './parameters.ts'

const inputs: Readonly<Record<string, object>> = {
  read_file: { path: 'a' },
  read_image: { path: 'a' },
  list_dir: {},
  glob: { pattern: '*' },
  grep_search: { pattern: 'a' },
  write_file: { path: 'a', content: '' },
  patch_file: { path: 'a', patch: '@@ -1 +1 @@' },
  run_bash: { command: 'true' },
}

function create(options: Partial<WorkspaceOptions> = {}) {
  return createWorkspaceTools({ root: tmpdir(), ...options })
}

async function asked(options: Partial<WorkspaceOptions> = {}): Promise<string[]> {
  const tools = create(options)
  const needs = await Promise.all(tools.map((tool) => tool.needsApproval(inputs[tool.schema.name])))
  return tools.filter((_, index) => needs[index]).map(({ schema }) => schema.name)
}

const names = (options?: Partial<WorkspaceOptions>) =>
  create(options).map((tool) => tool.schema.name)

describe('workspace tools', () => {
  test('are eight, and fewer if changes or commands are disabled', () => {
    expect(names().sort()).toEqual(Object.keys(inputs).sort())
    const reading = ['read_file', 'read_image', 'list_dir', 'glob', 'grep_search']
    expect(names({ readOnly: true })).toEqual(reading)
    expect(names({ shell: false })).toEqual([...reading, 'write_file', 'patch_file'])
  })

  test('that change files need approval by default', async () => {
    expect(await asked()).toEqual(['write_file', 'patch_file', 'run_bash'])
    expect(await asked({ approve: 'changes' })).toEqual(['write_file', 'patch_file', 'run_bash'])
    expect(await asked({ approve: 'always' })).toHaveLength(8)
    expect(await asked({ approve: 'never' })).toEqual([])
  })

  test('have a longer timeout than their command', () => {
    const tool = create({ limits: { maxCommandTimeoutMs: 5000 } }).find(
      ({ schema }) => schema.name === 'run_bash',
    )
    expect(tool).toMatchObject({ timeoutMs: 15_000, idempotent: false })
  })

  test('with an invalid limit are rejected', () => {
    for (const maxMatches of [0, -1, 1.5, Number.NaN, Infinity]) {
      expect(() => create({ limits: { maxMatches } })).toThrow('maxMatches')
    }
    expect(() => create({ limits: { searchTimeoutMs: 2 ** 31 } })).toThrow('searchTimeoutMs')
    expect(toLimits({ maxMatches: 3 }).maxMatches).toBe(3)
  })
})

describe('arguments', () => {
  const { validate, jsonSchema } = toInputSchema({
    path: text('Where'),
    glob: optionalText('Which', '*'),
    limit: whole('How many', { absent: 5, minimum: 1, maximum: 9 }),
    all: flag('All'),
  })['~standard']

  test('are parsed leniently and have defaults', () => {
    expect(validate({ path: 'a' })).toEqual({
      value: { path: 'a', glob: '*', limit: 5, all: false },
    })
    expect(validate({ path: 'a', glob: null, limit: '70', all: true, other: 1 })).toEqual({
      value: { path: 'a', glob: '*', limit: 9, all: true },
    })
  })

  test('that are invalid are named', () => {
    expect(validate({ path: '', limit: 1.5, all: 'yes' })).toEqual({
      issues: [
        { message: 'expected a text that is not empty', path: ['path'] },
        { message: 'expected a whole number', path: ['limit'] },
        { message: 'expected true or false', path: ['all'] },
      ],
    })
    expect(validate([])).toMatchObject({
      issues: [{ message: 'expected an object with arguments' }],
    })
    expect(validate(JSON.parse('{"__proto__": {"path": "a"}}'))).toHaveProperty('issues')
  })

  test('are described by JSON Schema', () => {
    expect(jsonSchema?.input({ target: 'draft-2020-12' })).toEqual({
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Where' },
        glob: { type: 'string', description: 'Which' },
        limit: { type: 'integer', description: 'How many', minimum: 1, maximum: 9 },
        all: { type: 'boolean', description: 'All' },
      },
      required: ['path'],
    })
  })
})
