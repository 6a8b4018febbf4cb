/** How a notation writes values; lists and objects are in brackets in all of them. */
export interface LiteralSyntax {
  /** Reads the string at an index; undefined if none is there. */
  readString(text: string, index: number): LiteralString | undefined
  /** Matches a value without quotes or brackets; sticky. */
  readonly word: RegExp
  /** The JSON of such a value; undefined if it means nothing. */
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
