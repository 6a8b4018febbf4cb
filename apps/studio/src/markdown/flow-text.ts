import type { Citation, TextBlock } from 'millrace'

/** Joins the texts of adjacent blocks, with a mark for each citation. */
export interface FlowText {
  /** Returns the text so far. Only the last block may have grown, and new ones may follow. */
  update(blocks: readonly TextBlock[]): string
}

/** The address of a mark; other links cannot have it. */
const MARK = 'citation:'

/** Creates an empty text; each block but the last is read once. */
export function createFlowText(): FlowText {
  let settled = 0
  let base = ''
  let marks = 0

  /** Returns the shown text of a block. Marks precede spaces at its end, so these wait. */
  const show = ({ text, citations }: TextBlock): string =>
    text.slice(0, findEnd(text)) + toMarks(citations, marks)

  return {
    update(blocks) {
      // Removed blocks reset the text.
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

/** Returns the number of a mark if an address is one. */
export function readMark(href: string | undefined): number | undefined {
  const number = href?.startsWith(MARK) ? Number(href.slice(MARK.length)) : Number.NaN
  return Number.isInteger(number) ? number : undefined
}

/** Returns the offset of marks: after the last word, unless its line is a fence or a table row. */
function findEnd(text: string): number {
  const { length } = text.trimEnd()
  if (length === text.length) return length
  const line = text.slice(text.lastIndexOf('\n', length - 1) + 1, length)
  return /^\s*(?:```|~~~|\|)/.test(line) ? text.length : length
}

/** Formats marks as Markdown links, which are allowed in lists and tables. */
function toMarks(citations: readonly Citation[], before: number): string {
  return citations
    .map((_, index) => before + index + 1)
    .map((number) => `[${number}](${MARK}${number})`)
    .join('')
}
