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
