import type { FieldType } from '../../calls/field-type.ts'
import { Marker } from '../../engine/marker.ts'
import { MarkerSet } from '../../engine/marker-set.ts'
import type { LiteralSyntax } from './literal-syntax.ts'

/** How a family of models writes the arguments of a call: `a=1, b='x')` or `a:1,b:<|"|>x<|"|>}`. */
export interface Notation {
  readonly strings: readonly StringMarks[]
  /** A backslash in a string begins an escape, or hides the quote after it. */
  readonly hasEscapes: boolean
  /** What opens a bracket and what closes it. */
  readonly brackets: readonly (readonly [open: string, close: string])[]
  /** What stands between key and value, one character. */
  readonly assign: string
  /** What ends the arguments, one character. */
  readonly close: string
  /** Keys may be in quotes. */
  readonly hasQuotedKeys?: boolean
  /** The type of a string; left to the parameters of the tool if not given. */
  readonly stringType?: FieldType
  readonly syntax: LiteralSyntax
}

/** What begins a string and what ends it. */
export interface StringMarks {
  readonly open: string
  readonly close: string
  /** Escapes stay as they are. */
  readonly isRaw?: boolean
}

/** A notation with its markers, made once. */
export interface CompiledNotation extends Notation {
  readonly quotes: ReadonlyMap<Marker, Quote>
  /** What may begin a string. */
  readonly openers: readonly Marker[]
  /** Everything that matters in a value that is not a string. */
  readonly structure: MarkerSet
  readonly closerOf: ReadonlyMap<string, string>
  readonly closers: ReadonlySet<string>
}

/** The marks around a string, with the set in which its end is found. */
export interface Quote extends StringMarks {
  readonly end: MarkerSet
}

/** Compiles a notation. */
export function compileNotation(notation: Notation): CompiledNotation {
  const { strings, brackets, close } = notation
  const quotes = new Map(strings.map((marks) => [new Marker(marks.open), toQuote(marks)]))
  // A prefix is a word like any other to a value in brackets.
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
