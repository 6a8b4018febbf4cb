import type { DiffFile, DiffHunk } from './parse-diff.ts'

/** The number of lines that are shown: in a scrolling box before the user asks for all, and in a clipping card. */
export const FIRST_LINES = { scrolled: 200, clipped: 24, whole: Infinity } as const

/** Counts the lines of a file's diff. */
export function countDiffLines({ hunks }: Pick<DiffFile, 'hunks'>): number {
  return hunks.reduce((sum, { lines }) => sum + lines.length, 0)
}

/** Returns the hunks with the first lines of a diff. */
export function takeFirstLines(hunks: readonly DiffHunk[], count: number): readonly DiffHunk[] {
  const shown: DiffHunk[] = []
  let left = count
  for (const { header, lines } of hunks) {
    if (left <= 0) break
    shown.push({ header, lines: lines.slice(0, left) })
    left -= lines.length
  }
  return shown
}
