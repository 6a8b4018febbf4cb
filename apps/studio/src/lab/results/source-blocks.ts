import type { SourceRun } from '../run/index.ts'

/** A part of the text that is rendered separately. */
export interface SourceBlock {
  readonly from: number
  readonly to: number
  readonly runs: readonly SourceRun[]
  /** First and last segment with content in it; -1 for none. */
  readonly firstSegment: number
  readonly lastSegment: number
}

/** The length of a block, short enough for a layout in each step. */
const BLOCK_LENGTH = 2_000

/** Splits the runs of a text into blocks; a run may be split as well. */
export function cutBlocks(text: string, sources: readonly SourceRun[]): readonly SourceBlock[] {
  const blocks: SourceBlock[] = []
  let next = 0
  for (let from = 0; from < text.length;) {
    const to = cutAfter(text, from)
    const runs: SourceRun[] = []
    for (; next < sources.length; next++) {
      const run = sources[next]
      if (run === undefined || run.from >= to) break
      runs.push({ ...run, from: Math.max(run.from, from), to: Math.min(run.to, to) })
      if (run.to > to) break
    }
    blocks.push(toBlock(runs, from, to))
    from = to
  }
  return blocks
}

/** Returns the end of a block: after a line break if possible, never inside a surrogate pair. */
function cutAfter(text: string, from: number): number {
  const end = from + BLOCK_LENGTH
  if (end >= text.length) return text.length
  const lineEnd = text.lastIndexOf('\n', end - 1)
  if (lineEnd > from) return lineEnd + 1
  return /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end - 1 : end
}

function toBlock(runs: readonly SourceRun[], from: number, to: number): SourceBlock {
  const numbers = runs.map(({ segment }) => segment).filter((segment) => segment >= 0)
  return { from, to, runs, firstSegment: numbers[0] ?? -1, lastSegment: numbers.at(-1) ?? -1 }
}
