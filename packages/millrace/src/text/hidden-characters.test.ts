import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findHiddenCharacters, showHiddenCharacters } from './hidden-characters.ts'

/** Texts with many hidden characters and many sequences in which they have a visible effect. */
const anyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 4 }),
      fc.constantFrom(
        ...'a 1#\n\t\r👩🏽💻🏴'.split(''),
        '👩',
        '🏽',
        '💻',
        '🏴',
        '❤',
        '\ufe0f',
        '\ufe0e',
        '\u20e3',
        '\u200d',
        '\u200c',
        '\u200b',
        'ن',
        'م',
        'क',
        '्',
        '葛',
        '　',
        '\u{e0100}',
        'ᠠ',
        '\u180b',
        '\u202e',
        '\u001b',
        '\u00a0',
        '\u{e0067}',
        '\u{e0062}',
        '\u{e007f}',
        '\r\n',
        '\ud83d',
        '\udc69',
        '\u{fffe}',
      ),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''))

const hiddenIn = (text: string, isSingleLine = false): string[] =>
  findHiddenCharacters(text, { isSingleLine }).flatMap(({ hidden }) => hidden?.label ?? [])

/** Characters that must never be in a visible part. */
const neverVisible = new RegExp(
  String.raw`(?![\n\t\r])[\p{Cc}\p{Bidi_C}\p{Cs}\p{Zl}\p{Zp}\u00a0\u00ad\u034f\u115f\u1160\u17b4\u17b5\u2000-\u200b\u202f\u205f-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb]`,
  'u',
)

describe('hidden characters', () => {
  test('returns pieces that join to the text, with no hidden character in visible parts', () => {
    fc.assert(
      fc.property(anyText, fc.boolean(), (text, isSingleLine) => {
        const pieces = findHiddenCharacters(text, { isSingleLine })
        expect(pieces.map((piece) => piece.text).join('')).toBe(text)
        expect(pieces.every((piece) => piece.text !== '')).toBe(true)
        for (const { text: part, hidden } of pieces) {
          if (!hidden) expect(part).not.toMatch(neverVisible)
          else expect(part).toBe(String.fromCodePoint(hidden.codePoint).repeat(hidden.count))
        }
      }),
      { numRuns: 2_000 },
    )
  })

  test('replaces all hidden characters, so that a second replacement changes nothing', () => {
    fc.assert(
      fc.property(anyText, fc.boolean(), (text, isSingleLine) => {
        const shown = showHiddenCharacters(text, { isSingleLine })
        expect(hiddenIn(shown, isSingleLine)).toEqual([])
        expect(showHiddenCharacters(shown, { isSingleLine })).toBe(shown)
      }),
      { numRuns: 2_000 },
    )
  })

  test('returns plain text as one unchanged piece', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'aZ09 ~/-"\n\tßéЖ中'.split(''), '👍') }),
        (text) => {
          expect(findHiddenCharacters(text)).toEqual(text === '' ? [] : [{ text }])
          expect(showHiddenCharacters(text)).toBe(text)
        },
      ),
    )
  })

  test.each([
    ['an override', 'rm \u202etxt.exe', ['U+202E']],
    ['all bidirectional controls', '\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e', 8],
    ['isolates', 'a\u2066b\u2067c\u2068d\u2069', 4],
    ['zero width', 'a\u200bb\u2060c\ufeffd\u00ade', 4],
    ['joiners in Latin', 'pa\u200dth/na\u200cme', ['U+200D', 'U+200C']],
    ['fillers', '\u115f\u1160\u3164\uffa0\u17b4\u17b5\u034f', 7],
    ['a terminal escape', '\u001b[2K\u009b1A\u0007', ['U+001B', 'U+009B', 'U+0007']],
    ['a return over the line', 'safe\rrm -rf', ['U+000D']],
    ['separators', 'a\u2028b\u2029c', 2],
    ['unusual spaces', 'a\u00a0b\u2003c\u202fd\u3000e\u205ff', 5],
    ['tags after a letter', 'a\u{e0068}\u{e0069}', ['U+E0068', 'U+E0069']],
    ['tags after an emoji', '👍\u{e0068}\u{e0069}\u{e007f}', 3],
    ['selectors that follow a letter', 'a\ufe0fb\u{e0101}', ['U+FE0F', 'U+E0101']],
    ['a second selector', '❤\ufe0f\ufe0f\ufe0e', ['U+FE0F', 'U+FE0E']],
    ['half a character', 'a\ud83d', ['U+D83D']],
    ['an invisible sign', '\ufff9a\ufffab\ufffb', 3],
    ['a blank Braille pattern', 'a\u2800b', ['U+2800']],
    ['a joiner beside a selector', 'ᠠ\u200c\u180bᠠ', ['U+200C', 'U+180B']],
    ['two joiners in Persian', 'می\u200c\u200cخواهم', ['U+200C']],
  ])('finds %s', (_, text, expected) => {
    const found = hiddenIn(text)
    expect(typeof expected === 'number' ? found.length : found).toEqual(expected)
  })

  test.each([
    ['a family', '👨‍👩‍👧'],
    ['a heart on fire', '❤️‍🔥'],
    ['a profession with a skin tone', '👩🏽‍💻'],
    ['a keycap', '1️⃣'],
    ['the flags of Scotland and of a rainbow', '🏴󠁧󠁢󠁳󠁣󠁴󠁿🏳️‍🌈'],
    ['a text presentation', '☎︎'],
    ['Persian', 'می‌خواهم'],
    ['Hindi and Sinhala', 'क्‍ष ශ්‍රී'],
    ['an ideograph with its variant', '葛\u{e0100}'],
    ['a Japanese paragraph', '　日本語　です。'],
    ['Mongolian', 'ᠠ\u180b'],
    ['Windows line ends', 'a\r\nb\r\n'],
    ['a sign of the Quran', '\u06dd'],
  ])('does not report %s', (_, text) => {
    expect(hiddenIn(text)).toEqual([])
  })

  test('reports tabs and line ends in a single line', () => {
    expect(hiddenIn('notes.txt\n\t/etc/passwd\r\n', true)).toEqual([
      'U+000A',
      'U+0009',
      'U+000D',
      'U+000A',
    ])
  })

  test('reports a run as one piece with its name and length', () => {
    expect(findHiddenCharacters('a\u200b\u200b\u200bb')).toEqual([
      { text: 'a' },
      {
        text: '\u200b\u200b\u200b',
        hidden: { codePoint: 0x200b, label: 'U+200B', name: 'Zero-width space', count: 3 },
      },
      { text: 'b' },
    ])
    expect(showHiddenCharacters('a\u202eb\u200b\u200b')).toBe('a⟨U+202E⟩b⟨U+200B ×2⟩')
    expect(findHiddenCharacters('\u{e0068}')[0]?.hidden?.name).toBe('Tag “h”')
  })
})
