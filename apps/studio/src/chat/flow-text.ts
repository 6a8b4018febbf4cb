import type { Citation, TextBlock } from 'millrace'

/** Joins the texts of blocks that follow each other, with a mark for each passage that supports one. */
export interface FlowText {
  /** The text so far; of the blocks given before, only the last may have grown, and new ones may follow it. */
  update(blocks: readonly TextBlock[]): string
}

/** The address of a mark; no other link can have it. */
const MARK = 'citation:'

/** Creates an empty text; each block but the last is read once. */
export function createFlowText(): FlowText {
  let settled = 0
  let base = ''
  let marks = 0

  const close = ({ text, citations }: TextBlock): string => text + toMarks(citations, marks)

  return {
    update(blocks) {
      // What was taken back is read again without it.
      if (settled >= blocks.length) {
        settled = marks = 0
        base = ''
      }
      for (; settled < blocks.length - 1; settled++) {
        const block = blocks[settled]
        if (!block) break
        base += close(block)
        marks += block.citations.length
      }
      const last = blocks.at(-1)
      return last === undefined ? base : base + close(last)
    },
  }
}

/** The number of a mark if an address is one. */
export function readMark(href: string | undefined): number | undefined {
  const number = href?.startsWith(MARK) ? Number(href.slice(MARK.length)) : Number.NaN
  return Number.isInteger(number) ? number : undefined
}

/** Links in Markdown, which may stand in lists and tables as well. */
function toMarks(citations: readonly Citation[], before: number): string {
  return citations
    .map((_, index) => before + index + 1)
    .map((number) => `[${number}](${MARK}${number})`)
    .join('')
}
