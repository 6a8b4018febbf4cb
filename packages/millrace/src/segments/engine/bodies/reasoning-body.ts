import type { RawBody } from '../../format.ts'
import { type BodyReader, type OpenerTable, readBlock } from '../block.ts'
import { type CodeRules, CodeRegions } from '../scan/code-regions.ts'
import { Marker, MarkerSet } from '../scan/marker.ts'
import type { Reader, Reading } from '../reader.ts'
import type { SegmentWriter } from '../segment-output.ts'
import { Scan } from '../scan/scan.ts'

/** The openers of other formats, which may end reasoning. */
export interface Interruptions {
  readonly openers: OpenerTable
  readonly rules: CodeRules
}

/**
 * Compiles reasoning: it has no segment if it is empty, a second opener is absorbed, and a block that opens inside
 * ends it, because models forget the closing tag more often than they rehearse a call.
 */
export function compileReasoning(raw: RawBody, interruptions: () => Interruptions): BodyReader {
  const close = raw.close.map((mark) => Marker.of(mark))
  const absorb = (raw.absorb ?? []).map((mark) => Marker.of(mark))
  let set: MarkerSet | undefined
  return function* (reader) {
    const { openers, rules } = interruptions()
    set ??= new MarkerSet([...close, ...absorb, ...openers.keys()])
    reader.accept()
    const segment = reader.segment('reasoning', {}, true)
    const scan = new Scan(set, segment, { regions: new CodeRegions(rules, reader.limits.maxHeld) })
    scan.start(reader.position)
    while (yield* continueReasoning(reader, scan, segment)) {
      const marker = scan.found[0]
      if (marker === undefined) continue
      reader.position = scan.endOf(marker, reader.input)
      if (close.includes(marker)) {
        reader.accept()
        segment.end()
        return true
      }
      if (absorb.includes(marker)) {
        reader.accept()
        scan.skip(reader.position)
      } else if (yield* interrupt(reader, scan, segment, openers)) return true
    }
    return true
  }
}

/** Continues the reasoning; returns false once the stream, and with it the reasoning, has ended. */
function* continueReasoning(reader: Reader, scan: Scan, segment: SegmentWriter): Reading<boolean> {
  yield scan
  if (scan.found.length > 0) return true
  reader.position = reader.input.end
  segment.end({ complete: false })
  return false
}

function* interrupt(
  reader: Reader,
  scan: Scan,
  segment: SegmentWriter,
  openers: OpenerTable,
): Reading<boolean> {
  let isOver = false
  reader.output.interrupt = () => {
    isOver = true
    segment.end()
  }
  if (yield* readBlock(reader, openers, scan.found, scan.foundAt)) return true
  reader.output.interrupt = undefined
  if (!isOver) scan.reject()
  return isOver
}
