import { readBlock } from './block.ts'
import { CodeRegions } from './scan/code-regions.ts'
import type { Grammar } from './compile-format.ts'
import type { Marker } from './scan/marker.ts'
import { plainOpening, type Reader, type Reading } from './reader.ts'
import { Scan } from './scan/scan.ts'

/** Reads a whole stream: text, and the blocks in it. */
export function* readDocument(
  reader: Reader,
  grammar: Grammar,
  startIn: 'text' | 'reasoning',
): Reading<void> {
  if (startIn === 'reasoning' && grammar.reasoning !== undefined) {
    yield* grammar.reasoning(reader, plainOpening)
  }
  const scan = new Scan(grammar.set, reader.textSink, {
    regions: new CodeRegions(grammar.rules, reader.limits.maxHeld),
    watch: reader.codeWatch,
  })
  const isOrphan = createOrphanCheck(grammar)
  scan.start(reader.position)
  for (;;) {
    yield scan
    if (scan.found.length === 0) break
    if (yield* readBlock(reader, grammar.openers, scan.found, scan.foundAt))
      scan.start(reader.position)
    else if (isOrphan(scan.found)) {
      reader.position = scan.endOf(scan.found[0] as Marker, reader.input)
      reader.accept()
      scan.skip(reader.position)
    } else scan.reject()
  }
  reader.output.closeText()
}

/** Creates a check for closing markers without an opener, which are dropped unless their opener was read as text. */
function createOrphanCheck({ orphans }: Grammar): (found: readonly Marker[]) => boolean {
  const demoted = new Map<Marker, number>()
  const count = (marker: Marker, change: number): unknown =>
    demoted.set(marker, (demoted.get(marker) ?? 0) + change)
  return ([marker]) => {
    if (marker === undefined) return false
    const openers = orphans.get(marker)
    if (openers === undefined) count(marker, 1)
    const opener = openers?.find((one) => (demoted.get(one) ?? 0) > 0)
    if (opener !== undefined) count(opener, -1)
    return openers !== undefined && opener === undefined
  }
}
