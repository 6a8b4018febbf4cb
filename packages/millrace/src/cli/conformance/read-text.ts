import type { SegmentEvent, SegmentParser, SourcePiece } from '../../segments/index.ts'
import type { FedEvents } from './check-feedings.ts'
import { difference } from './differences.ts'

/** Feeds pieces to a parser, and checks that it has accounted for every character of them [SEG-5]. */
export function readText(
  pieces: Iterable<string>,
  create: (onSource: (piece: SourcePiece) => void) => SegmentParser,
): FedEvents {
  let source = ''
  const parser = create(({ text }) => (source += text))
  const events: SegmentEvent[] = []
  let fed = ''
  for (const piece of pieces) {
    fed += piece
    events.push(...parser.feed(piece))
  }
  events.push(...parser.finalize())
  return { events, faults: source === fed ? [] : [difference('text accounted for', fed, source)] }
}
