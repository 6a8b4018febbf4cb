import {
  createSegmentParser,
  type SegmentEvent,
  type SegmentParserOptions,
} from '../../../src/segments/index.ts'
import type { SourcePiece } from '../../../src/segments/engine/scan/input-buffer.ts'

/** The output of a parser for a text in chunks. */
export interface Reading {
  readonly events: readonly SegmentEvent[]
  /** Its output before the end of the stream. */
  readonly live: readonly SegmentEvent[]
  readonly sources: readonly SourcePiece[]
  /** The maximum held length after a feed. */
  readonly mostHeld: number
}

/** Feeds a text in pieces to a new parser. */
export function readSegments(options: SegmentParserOptions, pieces: Iterable<string>): Reading {
  const sources: SourcePiece[] = []
  const parser = createSegmentParser({ ...options, onSource: (piece) => sources.push(piece) })
  const live: SegmentEvent[] = []
  let mostHeld = 0
  for (const piece of pieces) {
    live.push(...parser.feed(piece))
    mostHeld = Math.max(mostHeld, parser.held.length)
  }
  return { events: [...live, ...parser.finalize()], live, sources, mostHeld }
}

/** Joins consecutive deltas of a segment, because their cuts do not count. */
export function mergeEvents(events: readonly SegmentEvent[]): SegmentEvent[] {
  const merged: SegmentEvent[] = []
  for (const event of events) {
    const last = merged.at(-1)
    if (
      event.type === 'SEGMENT_CONTENT' &&
      last?.type === 'SEGMENT_CONTENT' &&
      last.segment_id === event.segment_id
    ) {
      merged[merged.length - 1] = {
        ...last,
        payload: { delta: last.payload.delta + event.payload.delta },
      }
    } else merged.push(event)
  }
  return merged
}

/** Whether joined events may become others: the last delta may grow, nothing else may change. */
export function goesOnTo(part: readonly SegmentEvent[], whole: readonly SegmentEvent[]): boolean {
  return part.every((event, index) => {
    const other = whole[index]
    const isLast = index === part.length - 1
    if (isLast && event.type === 'SEGMENT_CONTENT' && other?.type === 'SEGMENT_CONTENT')
      return (
        event.segment_id === other.segment_id && other.payload.delta.startsWith(event.payload.delta)
      )
    return JSON.stringify(event) === JSON.stringify(other)
  })
}

/**
 * Returns the errors in the order of events: each segment starts, continues and ends before the
 * next one.
 */
export function findDisorder(events: readonly SegmentEvent[]): string | undefined {
  let open: string | undefined
  let count = 0
  for (const event of events) {
    const { type, segment_id: id } = event
    if (type === 'SEGMENT_START') {
      if (open !== undefined) return `${id} started inside ${open}`
      if (id !== `seg_${++count}`) return `${id} is number ${count}`
      open = id
    } else if (id !== open) return `${type} of ${id} while ${open ?? 'nothing'} is open`
    if (type === 'SEGMENT_CONTENT' && event.payload.delta === '') return `${id} has an empty delta`
    if (type === 'SEGMENT_END') open = undefined
  }
  return open === undefined ? undefined : `${open} has no end`
}

/** All content, in order. */
export function joinContents(events: readonly SegmentEvent[]): string {
  return events
    .map((event) => (event.type === 'SEGMENT_CONTENT' ? event.payload.delta : ''))
    .join('')
}

/** Whether two deltas share a pair of surrogates. */
export function hasTornPair(events: readonly SegmentEvent[]): boolean {
  const deltas = events.map((event) =>
    event.type === 'SEGMENT_CONTENT' ? event.payload.delta : '',
  )
  return deltas.some((delta, index) => {
    const next = deltas[index + 1] ?? ''
    return /[\ud800-\udbff]$/.test(delta) && /^[\udc00-\udfff]/.test(next)
  })
}
