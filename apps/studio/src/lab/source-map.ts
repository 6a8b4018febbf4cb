import { createSegmentParser } from 'millrace/segments'
import type { SegmentEvent, SegmentParserOptions, SegmentType } from 'millrace/segments'

/** A stretch of the text that became one thing. */
export interface SourceRun {
  readonly from: number
  readonly to: number
  /** The type of the segment whose content it is, or `markup`. */
  readonly kind: SegmentType | 'markup'
  /** The number of that segment, counted from 0; -1 for markup. */
  readonly segment: number
}

/**
 * Finds out what became of each character. The text is fed unit by unit, so that what is told of the text and
 * what is told of segments can be matched; how a text is cut does not change it.
 */
export function mapSource(text: string, options: SegmentParserOptions): readonly SourceRun[] {
  const mapper = new SourceMapper()
  const parser = createSegmentParser({
    ...options,
    onSource: ({ role, text: piece }) => mapper.addPiece(role, piece.length),
    createId: (number) => {
      mapper.addStart(number - 1)
      return `seg_${number}`
    },
  })
  for (let index = 0; index < text.length; index++) mapper.settle(parser.feed(text.charAt(index)))
  mapper.settle(parser.finalize())
  return mapper.finish()
}

/** What the parser told since it was last fed, in order. */
type Note =
  | { readonly role: 'content' | 'markup'; readonly length: number }
  | { readonly start: number }

interface Draft {
  readonly from: number
  to: number
  readonly isMarkup: boolean
  segment: number
}

class SourceMapper {
  readonly #types: SegmentType[] = []
  readonly #drafts: Draft[] = []
  #notes: Note[] = []
  #position = 0
  /** The segment that takes content, -1 if there is none. */
  #open = -1
  /** Content from here on waits for its segment, as a file does for its path. */
  #waiting = 0

  addPiece(role: 'content' | 'markup', length: number): void {
    this.#notes.push({ role, length })
  }

  addStart(start: number): void {
    this.#notes.push({ start })
  }

  /** Takes what one feeding told. */
  settle(events: readonly SegmentEvent[]): void {
    if (this.#notes.length > 0 || events.length > 0) this.#readNotes(events)
  }

  #readNotes(events: readonly SegmentEvent[]): void {
    const ended = new Set<number>()
    for (const event of events) {
      if (event.type === 'SEGMENT_START') this.#types.push(event.segment_type)
      else if (event.type === 'SEGMENT_END') ended.add(toNumber(event.segment_id))
    }
    for (const [index, note] of this.#notes.entries()) {
      if ('start' in note) this.#start(note.start)
      else if (note.role === 'markup') this.#passMarkup(note.length, ended)
      else this.#passContent(note.length, this.#notes[index + 1])
    }
    if (ended.has(this.#open)) this.#open = -1
    this.#notes = []
  }

  #start(segment: number): void {
    this.#open = segment
    for (; this.#waiting < this.#drafts.length; this.#waiting++) {
      const draft = this.#drafts[this.#waiting]
      if (draft !== undefined && !draft.isMarkup && draft.segment === -1) draft.segment = segment
    }
  }

  /** Markup in a feeding that ends the segment is what ended it. */
  #passMarkup(length: number, ended: ReadonlySet<number>): void {
    if (ended.has(this.#open)) this.#open = -1
    this.#add({ isMarkup: true, segment: -1 }, length)
  }

  /** Text and reasoning start right after their first content was taken. */
  #passContent(length: number, next: Note | undefined): void {
    const started = next !== undefined && 'start' in next ? this.#types[next.start] : undefined
    const isFirst = started === 'text' || started === 'reasoning'
    this.#add({ isMarkup: false, segment: isFirst ? -1 : this.#open }, length)
  }

  #add(kind: Pick<Draft, 'isMarkup' | 'segment'>, length: number): void {
    const from = this.#position
    this.#position += length
    const last = this.#drafts.at(-1)
    if (last?.isMarkup === kind.isMarkup && last.segment === kind.segment) last.to += length
    else this.#drafts.push({ from, to: this.#position, ...kind })
  }

  finish(): readonly SourceRun[] {
    const runs: SourceRun[] = []
    for (const { from, to, isMarkup, segment } of this.#drafts) {
      const kind = isMarkup ? 'markup' : (this.#types[segment] ?? 'text')
      const last = runs.at(-1)
      if (last?.kind === kind && last.segment === segment) runs[runs.length - 1] = { ...last, to }
      else runs.push({ from, to, kind, segment })
    }
    return runs
  }
}

function toNumber(segmentId: string): number {
  return Number(segmentId.slice('seg_'.length)) - 1
}
