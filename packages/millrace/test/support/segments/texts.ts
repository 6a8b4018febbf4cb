import fc from 'fast-check'

/** Fragments that have broken parsers: halves of markers, quotes, escapes, pairs, line ends, code. */
const nastyPieces = [
  [
    '<',
    '</',
    '/>',
    '>',
    '<a',
    '<a ',
    '</a>',
    '<|',
    '|>',
    '[',
    '[[',
    ']]',
    ']]>',
    '{',
    '}',
    '{"',
    '"}',
  ],
  ['"', "'", '\\', '\\"', '\\n', '\\u00e9', '\\ud83d', '\\ude00', ':', ',', ';', '=', 'null', '12'],
  ['\n', '\r\n', '\r', '\n\n\n', ' ', '     ', '\t', ' '.repeat(300), 'x'.repeat(50)],
  ['`', '``', '```', '\n```\n', '```json\n', '\n~~~\n', '&lt;', '&amp;', '&#x41;'],
  [
    'İ',
    'ſ',
    'K',
    '😀',
    '\ud83d',
    '\ude00',
    '｜',
    '▁',
    'a',
    'f',
    'name',
    '__proto__',
    'constructor',
  ],
  ['{"name":"f","arguments":{"a":1}}', '"arguments": "{\\"a\\":', '{"function":', '{"a":1,', '[1,'],
].flat()

const prosePieces = ['a < b && c > d', 'I <3 you', 'use `<tool>` here', '.\n', 'lists [1] and {x}']

const nastyPiece = fc.constantFrom(...nastyPieces)

/** Text of difficult fragments. */
export const nastyText: fc.Arbitrary<string> = fc
  .array(nastyPiece, { maxLength: 8 })
  .map((pieces) => pieces.join(''))

function halfOf(fragment: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(fragment, fc.nat(40), fc.boolean())
    .map(([text, length, isStart]) => (isStart ? text.slice(0, length) : text.slice(-length)))
}

/** The damage of a text between two positions. */
type Damage = (text: string, from: number, to: number, piece: string) => string

const damages: readonly Damage[] = [
  (text, from, to) => text.slice(0, from) + text.slice(to),
  (text, from, to) => text.slice(0, to) + text.slice(from),
  (text, from, _to, piece) => text.slice(0, from) + piece + text.slice(from),
  (text, from, to) => text.slice(0, from) + text.slice(to) + text.slice(from, to),
  (text, from, to, piece) => text.slice(0, from) + piece + text.slice(to),
]

function damage(
  text: string,
  { kind, at, length, piece }: { kind: number; at: number; length: number; piece: string },
): string {
  const from = at % (text.length + 1)
  const to = Math.min(text.length, from + length)
  return damages[kind]?.(text, from, to, piece) ?? text
}

/** Texts of blocks of a format, fragments of them and prose, some of them damaged. */
export function textOf(
  fragments: readonly string[],
  block: fc.Arbitrary<string> = fc.constant(''),
): fc.Arbitrary<string> {
  const fragment = fc.constantFrom('<', ...fragments)
  const half = halfOf(fragment)
  const piece = fc.oneof(
    { weight: 4, arbitrary: block },
    { weight: 7, arbitrary: fragment },
    { weight: 2, arbitrary: half },
    { weight: 2, arbitrary: fc.constantFrom(...prosePieces) },
    { weight: 4, arbitrary: nastyPiece },
  )
  const mutation = fc.record({
    kind: fc.nat(damages.length - 1),
    at: fc.nat(600),
    length: fc.integer({ min: 1, max: 12 }),
    piece: fc.oneof(half, nastyPiece),
  })
  return fc
    .tuple(fc.array(piece, { maxLength: 14 }), fc.array(mutation, { maxLength: 3 }))
    .map(([pieces, mutations]) => mutations.reduce(damage, pieces.join('')))
}
