/** One place that a patch changes. */
export interface Hunk {
  /** Its number in the patch, from 1. */
  readonly number: number
  /** The line at which the patch says it is, from 1; undefined if it does not say. */
  readonly start: number | undefined
  /** What must be in the file, context and removed lines alike. */
  readonly old: readonly string[]
  readonly steps: readonly HunkStep[]
  /** Whether the text ends without a line's end after this; undefined if the patch does not say. */
  readonly endsWithoutNewline: boolean | undefined
}

/** A line that stays, goes or comes. */
export interface HunkStep {
  readonly kind: 'keep' | 'remove' | 'add'
  readonly text: string
}
