import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chunkings, isChunkingKind, traitsOf } from './chunking.ts'
import { examples } from './examples.ts'
import { formatKinds, isFormatKind } from './format-choice.ts'
import { decodeLabAddress, encodeLabAddress, toSettings } from './lab-address.ts'
import { switches } from './lab-settings.ts'

const first = { settings: toSettings(examples[0]!), place: 'longest-hold' } as const

const anyChunking = fc.record({
  kind: fc.constantFrom(...Object.keys(chunkings).filter(isChunkingKind)),
  number: fc.nat(9_999),
})
const anyView = fc.record({
  settings: fc.record({
    text: fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 300 }),
      fc.constantFrom(...examples.map(({ text }) => text)),
    ),
    format: fc.record({
      kind: fc.constantFrom(...Object.keys(formatKinds).filter(isFormatKind)),
      detail: fc.string({ unit: 'grapheme' }),
    }),
    chunking: anyChunking.map(({ kind, number }) => ({
      kind,
      number: traitsOf(kind).number === undefined ? 0 : number,
    })),
    switches: fc.record({
      fences: fc.constantFrom(...switches.fences.values),
      inline: fc.constantFrom(...switches.inline.values),
      startIn: fc.constantFrom(...switches.startIn.values),
      toolInReasoning: fc.constantFrom(...switches.toolInReasoning.values),
    }),
    knownTools: fc.string(),
  }),
  place: fc.oneof(fc.nat(), fc.constant('end' as const), fc.constant('longest-hold' as const)),
})

describe('the address of a view', () => {
  test('restores the view', () => {
    fc.assert(
      fc.property(anyView, (view) => {
        const { hash, isWithoutText } = encodeLabAddress(view)
        fc.pre(!isWithoutText)
        expect(decodeLabAddress(hash, first)).toEqual(view)
      }),
    )
  })

  test('may only name an example and then means all of its settings', () => {
    for (const example of examples) {
      const { settings } = decodeLabAddress(`#lab?example=${example.id}`, first)
      expect(settings).toEqual(toSettings(example))
    }
  })

  test('leaves out a text that is too long and reports it', () => {
    const settings = { ...first.settings, text: 'a long text '.repeat(1_000) }
    const { hash, isWithoutText } = encodeLabAddress({ ...first, settings })
    expect(isWithoutText).toBe(true)
    expect(hash.length).toBeLessThan(200)
    expect(decodeLabAddress(hash, first).settings.text).toBe(first.settings.text)
  })

  test('may be anything', () => {
    fc.assert(
      fc.property(fc.string(), (rest) => {
        expect(() => decodeLabAddress(`#lab?${rest}`, first)).not.toThrow()
      }),
    )
    expect(decodeLabAddress('#lab', first)).toEqual(first)
    expect(decodeLabAddress('#lab?format=none&chunks=x&at=-1&fences=y', first)).toEqual(first)
  })
})
