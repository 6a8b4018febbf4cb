import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { describeShowAll, measureClipped } from './clipped-size.ts'
import { listHidden } from './list-hidden.ts'
import { toShownArguments } from './shown-arguments.ts'

const lines = (count: number): string => Array.from({ length: count }, () => 'make\n').join('')
const measure = (name: string, input: object, isRaw = false) =>
  measureClipped(toShownArguments(name, JSON.stringify(input)), isRaw)

describe('arguments that a card clips', () => {
  test('are measured as the card draws them', () => {
    expect(measure('run_bash', { command: 'ls' })).toBeUndefined()
    expect(measure('run_bash', { command: lines(200) })).toEqual({ lines: 200, characters: 1_000 })
    const beside = measure('run_bash', { command: 'ls', env: lines(200) })
    expect(beside?.lines).toBeGreaterThan(200)
    const patch = `@@ -1 +1,60 @@\n-a\n${lines(60).replaceAll('make', '+make')}`
    expect(measure('apply_patch', { path: 'a', patch })).toEqual({ lines: 61, characters: 0 })
    expect(measure('any', { words: 'x'.repeat(9_000) })?.lines).toBe(3)
  })

  test('are measured as JSON in the raw view', () => {
    const blank = { command: `ls${'\n'.repeat(3_000)}` }
    expect(measure('run_bash', blank)).toBeUndefined()
    expect(measure('run_bash', blank, true)?.characters).toBeGreaterThan(6_000)
  })

  test('are counted on the button that shows them', () => {
    expect(describeShowAll({ lines: 1_200, characters: 5 })).toBe('Show all 1,200 lines')
    expect(describeShowAll({ lines: 1, characters: 9_000 })).toBe('Show all 9,000 characters')
  })
})

test('hidden characters are counted in all strings and names of a value', () => {
  const value = { 'a\u200b': ['\u202e', { b: 'x\u200b\u200by' }], c: 5, d: null }
  expect(listHidden(value).map(({ label, count }) => [label, count])).toEqual([
    ['U+200B', 3],
    ['U+202E', 1],
  ])
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(3), (json, depth) => {
      let nested: unknown = ['\u202e', json]
      for (let level = 0; level < depth; level++) nested = { nested }
      expect(listHidden(nested).some(({ label }) => label === 'U+202E')).toBe(true)
    }),
  )
})
