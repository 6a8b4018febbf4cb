import { createSegmentParser } from 'millrace/segments'
import type { SegmentParserOptions, SegmentType, SourcePiece } from 'millrace/segments'

/** A part of the text with one meaning. */
export interface SourceRun {
  readonly from: number
  readonly to: number
  /** Type of the segment whose content it is, or `markup`. */
  readonly kind: SegmentType | 'markup'
  /** Number of that segment from 0; -1 for markup. */
  readonly segment: number
}

/** A part of the text with its segment; undefined until the segment starts. */
interface Draft {
  readonly length: number
  segment: number | undefined
}

const MARKUP = -1

/** Maps each character to its segment, independent of the chunking. */
export function mapSource(text: string, options: SegmentParserOptions): readonly SourceRun[] {
  const drafts: Draft[] = []
  const waiting: Draft[] = []
  const add = ({ role, text: piece, segment_id: id }: SourcePiece): void => {
    const draft = { length: piece.length, segment: role === 'markup' ? MARKUP : toNumber(id) }
    drafts.push(draft)
    if (draft.segment === undefined) waiting.push(draft)
  }
  // Content before the path of a file belongs to the next segment.
  const start = (number: number): string => {
    for (const draft of waiting.splice(0)) draft.segment = number - 1
    return String(number)
  }
  const parser = createSegmentParser({ ...options, onSource: add, createId: start })
  const types = [...parser.feed(text), ...parser.finalize()].flatMap((event) =>
    event.type === 'SEGMENT_START' ? [event.segment_type] : [],
  )
  return toRuns(drafts, types)
}

function toNumber(id: string | undefined): number | undefined {
  return id === undefined ? undefined : Number(id) - 1
}

function toRuns(drafts: readonly Draft[], types: readonly SegmentType[]): readonly SourceRun[] {
  const runs: SourceRun[] = []
  let from = 0
  for (const { length, segment = MARKUP } of drafts) {
    const to = from + length
    const last = runs.at(-1)
    if (last?.segment === segment) runs[runs.length - 1] = { ...last, to }
    else runs.push({ from, to, kind: types[segment] ?? 'markup', segment })
    from = to
  }
  return runs
}
