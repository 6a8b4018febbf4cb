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

  /** What is shown of a block, which may be the last: spaces at its end wait, since marks come before them. */
  const show = ({ text, citations }: TextBlock): string =>
    text.slice(0, findEnd(text)) + toMarks(citations, marks)

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
        base += show(block) + block.text.slice(findEnd(block.text))
        marks += block.citations.length
      }
      const last = blocks.at(-1)
      return last === undefined ? base : base + show(last)
    },
  }
}

/** The number of a mark if an address is one. */
export function readMark(href: string | undefined): number | undefined {
  const number = href?.startsWith(MARK) ? Number(href.slice(MARK.length)) : Number.NaN
  return Number.isInteger(number) ? number : undefined
}

/** Where marks belong: behind the last word, unless its line is a fence or a row of a table. */
function findEnd(text: string): number {
  const { length } = text.trimEnd()
  if (length === text.length) return length
  const line = text.slice(text.lastIndexOf('\n', length - 1) + 1, length)
  return /^\s*(?:```|~~~|\|)/.test(line) ? text.length : length
}

/** Links in Markdown, which may stand in lists and tables as well. */
function toMarks(citations: readonly Citation[], before: number): string {
  return citations
    .map((_, index) => before + index + 1)
    .map((number) => `[${number}](${MARK}${number})`)
    .join('')
}
