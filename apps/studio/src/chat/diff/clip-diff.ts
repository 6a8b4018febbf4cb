import type { DiffFile, DiffHunk } from './parse-diff.ts'

/** How many lines of a file are shown: in a box that scrolls before someone asks for all, and in a card that clips. */
export const FIRST_LINES = { scrolled: 200, clipped: 24, whole: Infinity } as const

/** How many lines a change of a file has. */
export function countDiffLines({ hunks }: Pick<DiffFile, 'hunks'>): number {
  return hunks.reduce((sum, { lines }) => sum + lines.length, 0)
}

/** The hunks with the first lines of a change. */
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
