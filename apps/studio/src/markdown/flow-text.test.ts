import fc from 'fast-check'
import type { TextBlock } from 'millrace'
import { expect, test } from 'vitest'
import { createFlowText, readMark } from './flow-text.ts'

function toBlock(text: string, citations: number): TextBlock {
  const cited = Array.from({ length: citations }, () => ({ citedText: 'x', fields: {} }))
  return { type: 'text', text, citations: cited } as unknown as TextBlock
}

test('texts are joined, with numbered marks', () => {
  const blocks = [toBlock('One', 1), toBlock(', two', 2), toBlock(' and ', 0), toBlock('three', 1)]
  expect(createFlowText().update(blocks)).toBe(
    'One[1](citation:1), two[2](citation:2)[3](citation:3) and three[4](citation:4)',
  )
})

test('marks follow the last word, and spaces follow the marks', () => {
  const blocks = [toBlock('One. ', 2), toBlock('Two.\n\n', 1), toBlock('Three ', 1)]
  expect(createFlowText().update(blocks)).toBe(
    'One.[1](citation:1)[2](citation:2) Two.[3](citation:3)\n\nThree[4](citation:4)',
  )
  const fence = '```\ncode\n```\n'
  expect(createFlowText().update([toBlock(fence, 1)])).toBe(`${fence}[1](citation:1)`)
  const table = '| a |\n|---|\n| b |\n'
  expect(createFlowText().update([toBlock(table, 1)])).toBe(`${table}[1](citation:1)`)
})

test('the text only grows and is the same in the end, in any chunks', () => {
  const odd = fc.constantFrom(' ', '\n', '|', '```', '~~~', 'a')
  const anyText = fc.oneof(fc.string(), fc.string({ unit: odd, maxLength: 20 }))
  const part = fc.record({ text: anyText, citations: fc.nat(3), cuts: fc.array(fc.nat(20)) })
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
      const flow = createFlowText()
      const done: TextBlock[] = []
      let shown = ''
      const look = (last: TextBlock): void => {
        const next = flow.update([...done, last])
        expect(next.startsWith(shown)).toBe(true)
        shown = next
      }
      for (const { text, citations, cuts } of parts) {
        for (const cut of cuts.toSorted((a, b) => a - b)) look(toBlock(text.slice(0, cut), 0))
        for (let count = 0; count <= citations; count++) look(toBlock(text, count))
        done.push(toBlock(text, citations))
      }
      expect(shown).toBe(createFlowText().update(done))
    }),
  )
})

test('removed blocks are gone', () => {
  const flow = createFlowText()
  flow.update([toBlock('One', 1), toBlock(' two', 0)])
  expect(flow.update([toBlock('One', 1)])).toBe('One[1](citation:1)')
  expect(flow.update([])).toBe('')
})

test('only own addresses are marks', () => {
  expect(readMark('citation:12')).toBe(12)
  for (const href of [undefined, '', 'https://example.com/citation:1', 'citation:x'])
    expect(readMark(href)).toBeUndefined()
})
