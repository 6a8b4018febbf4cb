/** One change of a patch. */
export interface Hunk {
  /** Its number in the patch, from 1. */
  readonly number: number
  /** Its line number in the patch, from 1; undefined if the header has none. */
  readonly start: number | undefined
  /** Context and removed lines, which must be in the file. */
  readonly old: readonly string[]
  readonly steps: readonly HunkStep[]
  /** Whether the text ends without a line end; undefined if the patch does not specify it. */
  readonly endsWithoutNewline: boolean | undefined
}

/** A line that is kept, removed or added. */
export interface HunkStep {
  readonly kind: 'keep' | 'remove' | 'add'
  readonly text: string
}
