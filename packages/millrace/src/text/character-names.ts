const controls =
  'Null;Start of heading;Start of text;End of text;End of transmission;Enquiry;Acknowledge;Bell;Backspace;Tab;Line feed;Vertical tab;Form feed;Carriage return;Shift out;Shift in;Data link escape;Device control 1;Device control 2;Device control 3;Device control 4;Negative acknowledge;Synchronous idle;End of transmission block;Cancel;End of medium;Substitute;Escape;File separator;Group separator;Record separator;Unit separator'.split(
    ';',
  )

const spaces =
  'En quad;Em quad;En space;Em space;Three-per-em space;Four-per-em space;Six-per-em space;Figure space;Punctuation space;Thin space;Hair space'.split(
    ';',
  )

const names: ReadonlyMap<number, string> = new Map([
  ...controls.map((name, index) => [index, name] as const),
  ...spaces.map((name, index) => [0x2000 + index, name] as const),
  [0x7f, 'Delete'],
  [0x85, 'Next line'],
  [0x9b, 'Control sequence introducer'],
  [0xa0, 'No-break space'],
  [0xad, 'Soft hyphen'],
  [0x34f, 'Combining grapheme joiner'],
  [0x61c, 'Arabic letter mark'],
  [0x115f, 'Hangul choseong filler'],
  [0x1160, 'Hangul jungseong filler'],
  [0x1680, 'Ogham space mark'],
  [0x17b4, 'Khmer inherent vowel aq'],
  [0x17b5, 'Khmer inherent vowel aa'],
  [0x180e, 'Mongolian vowel separator'],
  [0x200b, 'Zero-width space'],
  [0x200c, 'Zero-width non-joiner'],
  [0x200d, 'Zero-width joiner'],
  [0x200e, 'Left-to-right mark'],
  [0x200f, 'Right-to-left mark'],
  [0x2028, 'Line separator'],
  [0x2029, 'Paragraph separator'],
  [0x202a, 'Left-to-right embedding'],
  [0x202b, 'Right-to-left embedding'],
  [0x202c, 'Pop directional formatting'],
  [0x202d, 'Left-to-right override'],
  [0x202e, 'Right-to-left override'],
  [0x202f, 'Narrow no-break space'],
  [0x205f, 'Medium mathematical space'],
  [0x2060, 'Word joiner'],
  [0x2061, 'Function application'],
  [0x2062, 'Invisible times'],
  [0x2063, 'Invisible separator'],
  [0x2064, 'Invisible plus'],
  [0x2066, 'Left-to-right isolate'],
  [0x2067, 'Right-to-left isolate'],
  [0x2068, 'First strong isolate'],
  [0x2069, 'Pop directional isolate'],
  [0x2800, 'Braille pattern blank'],
  [0x3000, 'Ideographic space'],
  [0x3164, 'Hangul filler'],
  [0xfeff, 'Zero-width no-break space'],
  [0xffa0, 'Halfwidth Hangul filler'],
  [0xfff9, 'Interlinear annotation anchor'],
  [0xfffa, 'Interlinear annotation separator'],
  [0xfffb, 'Interlinear annotation terminator'],
  [0xe0001, 'Language tag'],
  [0xe007f, 'Cancel tag'],
])

/** Names of other characters, by category. */
const kinds: readonly (readonly [RegExp, string])[] = [
  [/[\u180b-\u180f\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u, 'Variation selector'],
  [/\p{Cc}/u, 'Control character'],
  [/\p{Cs}/u, 'Lone surrogate'],
  [/\p{NChar}/u, 'Noncharacter'],
  [/\p{Z}/u, 'Space'],
]

/** Returns the English name of a hidden character. */
export function nameCharacter(codePoint: number): string {
  const name = names.get(codePoint)
  if (name !== undefined) return name
  // Tag characters are invisible copies of ASCII.
  if (codePoint >= 0xe0020 && codePoint < 0xe007f)
    return `Tag “${String.fromCodePoint(codePoint - 0xe0000)}”`
  const character = String.fromCodePoint(codePoint)
  return kinds.find(([kind]) => kind.test(character))?.[1] ?? 'Invisible format character'
}
