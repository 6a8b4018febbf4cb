import { auto, presets } from 'millrace/segments'
import { expect, test } from 'vitest'
import { toFormatChoice } from './format-choice.ts'

test('an invalid choice throws a readable error', () => {
  expect(() => toFormatChoice({ kind: 'named', detail: 'hermes,hermes2' })).toThrow(
    'There is no format “hermes2”.',
  )
  expect(() => toFormatChoice({ kind: 'tags', detail: ' ; ' })).toThrow('Name the tools')
})

test('several formats can be chosen, each once', () => {
  const { formats } = toFormatChoice({ kind: 'named', detail: 'think, hermes,,think' })
  expect(formats).toHaveLength(2)
})

test('a model stands for its formats, and an unknown model for all unambiguous ones', () => {
  const { formats } = toFormatChoice({ kind: 'model', detail: 'gpt-oss:20b' })
  expect(formats).toEqual([presets.harmony])
  expect(toFormatChoice({ kind: 'model', detail: 'nobody/nothing-7b' }).formats).toBe(auto)
})
