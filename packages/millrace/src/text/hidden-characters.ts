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

const kinds: readonly (readonly [RegExp, string])[] = [
  [/[\u180b-\u180f\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u, 'Variation selector'],
  [/\p{Cc}/u, 'Control character'],
  [/\p{Cs}/u, 'Lone surrogate'],
  [/\p{NChar}/u, 'Noncharacter'],
  [/\p{Z}/u, 'Space'],
]

/** A character that is invisible, or that changes the display of the text around it. */
export interface HiddenCharacter {
  readonly codePoint: number
  /** For example `U+202E`. */
  readonly label: string
  /** For example `Right-to-left override`. */
  readonly name: string
  /** Number of consecutive occurrences. */
  readonly count: number
}

/** A part of a text: visible characters, or one hidden character and its repetitions. */
export interface TextPiece {
  /** The characters of this part. All pieces joined give the text. */
  readonly text: string
  readonly hidden?: HiddenCharacter
}

/** Options of {@link findHiddenCharacters}. */
export interface HiddenCharacterOptions {
  /** The text is a path, a name or another single line. Tabs and line ends then count as hidden characters. */
  readonly isSingleLine?: boolean
}

/** Spaces, controls, format characters, default-ignorable characters and lone surrogates. */
const hidden = String.raw`[\p{Cc}\p{Cf}\p{DI}\p{Z}\p{Cs}\p{NChar}\u2800]`
/** The plain space, and format characters that are visible (Prepended_Concatenation_Mark). */
const drawn = String.raw`[ \u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]`

const pictograph = String.raw`\p{ExtPict}(?:\p{EMod}|[\ufe0e\ufe0f])?`
/** The flags of England, Scotland and Wales: the only tag sequences recommended for interchange. */
const flag = String.raw`\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}`
const joiningScripts = 'Arab Syrc Nkoo Mand Mong Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh'
/**
 * Visible characters of scripts that use joiners. Their hidden characters (variation selectors, inherent vowels) need no adjacent joiner.
 */
const joining = `(?!${hidden})[${[...joiningScripts.split(' '), 'Tibt', 'Mymr', 'Khmr'].map((script) => String.raw`\p{sc=${script}}`).join('')}]`
const wide = String.raw`[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\u3001-\u303f\uff01-\uff60]`

/** Sequences in which Unicode defines a visible effect of a hidden character. */
const visibleSequences = [
  flag,
  // Emoji with one presentation selector each, joined (UTS #51), and keycaps.
  String.raw`${pictograph}(?:\u200d${pictograph})*`,
  String.raw`[0-9#*]\ufe0f\u20e3`,
  // One joiner between two characters of scripts that need it (RFC 5892, appendix A, by script instead of joining type).
  String.raw`(?<=${joining})[\u200c\u200d](?=${joining})`,
  // One variation selector after a Mongolian letter or an ideograph.
  String.raw`(?<=[\u1820-\u18aa])[\u180b-\u180f]`,
  String.raw`(?<=\p{sc=Han})[\ufe00-\ufe02\u{e0100}-\u{e01ef}]`,
  // The ideographic space in CJK text.
  String.raw`(?<=${wide})\u3000|\u3000(?=${wide})`,
]
const lineEnds = String.raw`[\n\t]|\r(?=\n)`

const anyOf = (sequences: readonly string[]): RegExp =>
  new RegExp(String.raw`${sequences.join('|')}|((?!${drawn})${hidden})\1*`, 'gu')
const inLines = anyOf([lineEnds, ...visibleSequences])
const inOneLine = anyOf(visibleSequences)

/** Most texts contain none of these characters and need no search. */
const suspects = /[^\n\t\u0020-\u007e]/
const suspectsInOneLine = /[^\u0020-\u007e]/

/**
 * Splits a text into visible parts and hidden characters: controls, bidirectional controls, zero-width characters, unusual spaces, lone
 * surrogates. Characters that an emoji or a script requires stay in the visible parts.
 */
export function findHiddenCharacters(
  text: string,
  { isSingleLine = false }: HiddenCharacterOptions = {},
): readonly TextPiece[] {
  if (text === '') return []
  if (!(isSingleLine ? suspectsInOneLine : suspects).test(text)) return [{ text }]
  const pieces: TextPiece[] = []
  let end = 0
  for (const match of text.matchAll(isSingleLine ? inOneLine : inLines)) {
    const [run, first] = match
    if (first === undefined) continue
    if (match.index > end) pieces.push({ text: text.slice(end, match.index) })
    pieces.push({ text: run, hidden: describe(first, run.length / first.length) })
    end = match.index + run.length
  }
  if (end < text.length) pieces.push({ text: text.slice(end) })
  return pieces
}

/** Replaces each hidden character by its code point, such as `⟨U+202E⟩`, for terminals, titles and logs. */
export function showHiddenCharacters(text: string, options?: HiddenCharacterOptions): string {
  return findHiddenCharacters(text, options)
    .map((piece) => (piece.hidden ? toMark(piece.hidden) : piece.text))
    .join('')
}

function toMark({ label, count }: HiddenCharacter): string {
  return count === 1 ? `⟨${label}⟩` : `⟨${label} ×${count}⟩`
}

function describe(character: string, count: number): HiddenCharacter {
  const codePoint = character.codePointAt(0) ?? 0
  const label = `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`
  return { codePoint, label, name: nameCharacter(codePoint), count }
}

function nameCharacter(codePoint: number): string {
  const name = names.get(codePoint)
  if (name !== undefined) return name
  // Tag characters are invisible copies of ASCII.
  if (codePoint >= 0xe0020 && codePoint < 0xe007f)
    return `Tag “${String.fromCodePoint(codePoint - 0xe0000)}”`
  const character = String.fromCodePoint(codePoint)
  return kinds.find(([kind]) => kind.test(character))?.[1] ?? 'Invisible format character'
}

/** Converts a text to one bounded line for a log or a terminal. Each run of a hidden character becomes a space. */
export function toPlainLine(text: string, maxChars = 200): string {
  // Does not split a surrogate pair.
  const start = text.slice(0, maxChars).replace(/[\uD800-\uDBFF]$/, '')
  const pieces = findHiddenCharacters(start, { isSingleLine: true })
  const plain = pieces.map((piece) => (piece.hidden ? ' ' : piece.text)).join('')
  return text.length > maxChars ? `${plain}…` : plain
}
