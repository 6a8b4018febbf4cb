import type { FieldType } from '../../calls/typed-json.ts'
import { Marker, MarkerSet } from '../../engine/scan/marker.ts'

/** The notation of a call's arguments in a family of models: `a=1, b='x')` or `a:1,b:<|"|>x<|"|>}`. */
export interface Notation {
  readonly strings: readonly StringMarks[]
  /** A backslash in a string begins an escape, or escapes the quote after it. */
  readonly hasEscapes: boolean
  readonly brackets: readonly (readonly [open: string, close: string])[]
  /** The character between key and value. */
  readonly assign: string
  /** The character that ends the arguments. */
  readonly close: string
  /** Keys may be quoted. */
  readonly hasQuotedKeys?: boolean
  /** The type of a string; default: the type of the tool's parameter. */
  readonly stringType?: FieldType
  readonly syntax: LiteralSyntax
}

/** The delimiters of a string. */
export interface StringMarks {
  readonly open: string
  readonly close: string
  /** Escapes are not decoded. */
  readonly isRaw?: boolean
}

/** A notation with its markers, compiled once. */
export interface CompiledNotation extends Notation {
  readonly quotes: ReadonlyMap<Marker, Quote>
  /** Markers that may begin a string. */
  readonly openers: readonly Marker[]
  /** Every marker that matters in a value that is not a string. */
  readonly structure: MarkerSet
  readonly closerOf: ReadonlyMap<string, string>
  readonly closers: ReadonlySet<string>
}

/** The delimiters of a string, with the marker set that finds its end. */
export interface Quote extends StringMarks {
  readonly end: MarkerSet
}

/** Compiles a notation. */
export function compileNotation(notation: Notation): CompiledNotation {
  const { strings, brackets, close } = notation
  const quotes = new Map(strings.map((marks) => [new Marker(marks.open), toQuote(marks)]))
  // In brackets, a prefix is a word like any other.
  const plain = [...quotes].filter(([, quote]) => quote.open === quote.close)
  const signs = new Set([...brackets.flat(), ',', close, '<'])
  return {
    ...notation,
    quotes,
    openers: [...quotes.keys()],
    structure: new MarkerSet([
      ...plain.map(([marker]) => marker),
      ...[...signs].map((sign) => new Marker(sign)),
    ]),
    closerOf: new Map(brackets),
    closers: new Set([...brackets.map(([, closer]) => closer), close]),
  }
}

function toQuote(marks: StringMarks): Quote {
  return { ...marks, end: new MarkerSet([new Marker(marks.close)]) }
}

/** The notation of values; lists and objects are always in brackets. */
export interface LiteralSyntax {
  /** Reads the string at an index; returns undefined if there is none. */
  readString(text: string, index: number): LiteralString | undefined
  /** Matches a value without quotes or brackets; sticky. */
  readonly word: RegExp
  /** Converts such a value to JSON; returns undefined if it is unknown. */
  toJson(word: string): string | undefined
  /** Matches a key without quotes; sticky. Without it a key is a value like any other. */
  readonly key?: RegExp
  /** Lists in parentheses, and in braces if there are no keys. */
  readonly hasTuples?: boolean
}

/** A string with the index after its end. */
export interface LiteralString {
  readonly value: string
  readonly end: number
}
