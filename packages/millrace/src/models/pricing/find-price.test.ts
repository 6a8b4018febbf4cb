import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findPrice } from './find-price.ts'
import { prices } from './prices.ts'

const names = Object.keys(prices)
const nameOf = (modelId: string) => findPrice(modelId)?.modelId

test('[COST-3] finds every row by its name and by each snapshot', () => {
  const suffix = fc.constantFrom('', '-20250805', '@20250805', '-2026-09-29', '-latest', '-v1:0')
  const prefix = fc.constantFrom('', 'openrouter/', 'publishers/x/models/')
  fc.assert(
    fc.property(prefix, fc.constantFrom(...names), suffix, (before, name, after) => {
      expect(nameOf(before + name + after)).toBe(name)
    }),
  )
})

describe('[COST-3] the longest matching name wins in any spelling', () => {
  test.each([
    ['claude-opus-4-1-20250805', 'claude-opus-4-1'],
    ['claude-opus-4-20250514', 'claude-opus-4'],
    ['claude-opus-4-0', 'claude-opus-4'],
    ['claude-sonnet-4-5-20250929', 'claude-sonnet-4-5'],
    ['claude-sonnet-4-20250514', 'claude-sonnet-4'],
    ['claude-haiku-4-5@20251001', 'claude-haiku-4-5'],
    ['claude-3-5-haiku-latest', 'claude-3-5-haiku'],
    ['anthropic.claude-opus-4-1-20250805-v1:0', 'claude-opus-4-1'],
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'claude-sonnet-4-5'],
    ['us-gov.anthropic.claude-sonnet-4-5-20250929-v1:0:200k', 'claude-sonnet-4-5'],
    ['global.anthropic.claude-opus-5-5', 'claude-opus-5-5'],
    ['arn:aws:bedrock:eu-west-1:1:inference-profile/eu.anthropic.claude-opus-5', 'claude-opus-5'],
    ['anthropic/claude-opus-4.5', 'claude-opus-4-5'],
    ['gpt-6.1-sol-2026-09-29', 'gpt-6.1-sol'],
  ])('%s is %s', (modelId, name) => {
    expect(nameOf(modelId)).toBe(name)
  })
})

describe('[COST-3] another version or variant has no price', () => {
  test.each([
    'other-model-1',
    'claude-opus-4-10',
    'claude-opus-4-2',
    'claude-fable-5-9',
    'claude-fable-5-9-20270101',
    'claude-opus-5-5-mini',
    'claude-opus-41',
    'gpt-6-sol-codex',
    'gpt-6',
    'claude-sonnet-4-5-',
    'my-claude-opus-4-1',
    'claude',
    '',
    '/',
    'constructor',
    '__proto__',
  ])('%j', (modelId) => {
    expect(findPrice(modelId)).toBeUndefined()
  })
})

test('prefers an exact name to other spellings', () => {
  const regional = 'eu.anthropic.claude-opus-5-5'
  const table = { ...prices, [regional]: { input: 4.4, output: 22 } }
  expect(findPrice(regional, table)?.price.input).toBe(4.4)
  expect(findPrice(`${regional}-v1:0`, table)?.modelId).toBe(regional)
  expect(findPrice('claude-opus-5-5', table)?.price.input).toBe(4)
})

test('accepts any text', () => {
  fc.assert(
    fc.property(fc.string(), fc.constantFrom('', ...names), (text, name) => {
      const found = nameOf(name + text)
      expect(found === undefined || names.includes(found)).toBe(true)
    }),
  )
})
