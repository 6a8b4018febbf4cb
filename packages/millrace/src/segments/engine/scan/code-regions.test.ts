import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutList, feedings } from '../../../../test/support/cut-text.ts'
import { runs } from '../../../../test/support/runs.ts'
import { readSegments } from '../../../../test/support/segments/read-segments.ts'
import { defineFormat } from '../../check-format.ts'
import type { CustomBody } from '../../format.ts'
import type { CodeRules } from './code-regions.ts'

/** Returns the marks outside code; each mark is text, and so is a fence that a format reads. */
function findMarks(parts: readonly string[], rules: CodeRules): number[] {
  const found: number[] = []
  const custom: CustomBody = function* (reader) {
    if (reader.input.codeAt(reader.position - 1) === AT) found.push(reader.position - 1)
    yield* reader.peek()
    return false
  }
  const format = defineFormat({
    name: 'marks',
    blocks: [
      { open: { literal: '@' }, body: { custom } },
      { open: { literal: ['```', '~~~'], at: 'line' }, body: { custom } },
    ],
  })
  readSegments({ formats: [format], ...rules }, parts)
  return found
}

const AT = 0x40
const FENCE = /^[ \t]{0,3}(`{3,}|~{3,})(.*)$/s

/** Reference implementation: returns the marks outside code, line by line with the whole line available. */
function findMarksByLine(text: string, rules: CodeRules): number[] {
  let fence = ''
  let start = 0
  return text.split(/(?<=\n)/).flatMap((line) => {
    const [, run = '', rest = ''] = FENCE.exec(line) ?? []
    const from = start
    start += line.length
    if (fence !== '') {
      if (run.startsWith(fence) && rest.trim() === '') fence = ''
      return []
    }
    const isFence = run.startsWith('~') || (run !== '' && !rest.includes('`'))
    if (isFence && rules.fences === 'opaque') fence = run
    if (fence !== '') return []
    // A line that looks like a fence hides openers up to the backtick that shows that it is not a fence.
    const candidate = rules.fences === 'opaque' && run !== '' ? line.length - rest.length : 0
    const known = candidate === 0 ? 0 : candidate + rest.indexOf('`')
    return findMarksInLine(line, rules).flatMap((index) => (index < known ? [] : [from + index]))
  })
}

/** CommonMark, on one line: a run of backticks opens a span if a later one has its length; otherwise it is text. */
function findMarksInLine(line: string, { inline }: CodeRules): number[] {
  const found: number[] = []
  const pieces = [...line.matchAll(/`+|@/g)]
  for (let at = 0; at < pieces.length; at++) {
    const { 0: piece = '', index = 0 } = pieces[at] ?? {}
    if (piece === '@') found.push(index)
    else if (inline === 'opaque') {
      const closer = pieces.findIndex((other, place) => place > at && other[0] === piece)
      if (closer !== -1) at = closer
    }
  }
  return found
}

const pieces = [
  '`',
  '``',
  '```',
  '````',
  '~~~',
  '~~~~',
  '\n',
  '\n',
  '\r\n',
  ' ',
  '   ',
  '\t',
  '@',
  'a',
]
const text = fc.array(fc.constantFrom(...pieces), { maxLength: 16 }).map((parts) => parts.join(''))
const rule = fc.constantFrom('opaque' as const, 'transparent' as const)

test('[SEG-11] [SEG-12] code hides openers, for every split', () => {
  fc.assert(
    fc.property(text, cutList, fc.record({ fences: rule, inline: rule }), (whole, cuts, rules) => {
      const wanted = findMarksByLine(whole, rules)
      for (const parts of feedings(whole, cuts)) expect(findMarks(parts, rules)).toEqual(wanted)
    }),
    { numRuns: runs(2000, 200_000) },
  )
})
