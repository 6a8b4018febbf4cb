import { nameCharacter } from './character-names.ts'

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
 * Visible characters of scripts that use joiners. Their hidden characters (variation selectors, inherent vowels) need
 * no adjacent joiner.
 */
const joining = `(?!${hidden})[${[...joiningScripts.split(' '), 'Tibt', 'Mymr', 'Khmr'].map((script) => String.raw`\p{sc=${script}}`).join('')}]`
const wide = String.raw`[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\u3001-\u303f\uff01-\uff60]`

/** Sequences in which Unicode gives a hidden character a visible effect. */
const visibleSequences = [
  flag,
  // Emoji with one presentation selector each, joined (UTS #51), and keycaps.
  String.raw`${pictograph}(?:\u200d${pictograph})*`,
  String.raw`[0-9#*]\ufe0f\u20e3`,
  // One joiner between two characters of scripts that need it (RFC 5892, appendix A, by script instead of joining
  // type).
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
 * Splits a text into visible parts and hidden characters: controls, bidirectional controls, zero-width characters,
 * unusual spaces, lone surrogates. Characters that an emoji or a script requires stay in the visible parts.
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
