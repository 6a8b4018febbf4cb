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
  const orphans = new Orphans(grammar)
  scan.start(reader.position)
  for (;;) {
    yield scan
    if (scan.found.length === 0) break
    if (yield* readBlock(reader, grammar.openers, scan.found, scan.foundAt))
      scan.start(reader.position)
    else if (orphans.takes(scan.found)) {
      reader.position = scan.endOf(scan.found[0] as Marker, reader.input)
      reader.accept()
      scan.skip(reader.position)
    } else scan.reject()
  }
  reader.output.closeText()
}

/** Drops closing markers without an opener, unless their opener was read as text. */
class Orphans {
  readonly #grammar: Grammar
  readonly #demoted = new Map<Marker, number>()

  constructor(grammar: Grammar) {
    this.#grammar = grammar
  }

  /** Checks whether the found marker is a closing marker that is dropped. */
  takes(found: readonly Marker[]): boolean {
    const marker = found[0]
    if (marker === undefined) return false
    const openers = this.#grammar.orphans.get(marker)
    if (openers === undefined) {
      this.#count(marker, 1)
      return false
    }
    const demoted = openers.find((opener) => (this.#demoted.get(opener) ?? 0) > 0)
    if (demoted !== undefined) this.#count(demoted, -1)
    return demoted === undefined
  }

  #count(marker: Marker, change: number): void {
    this.#demoted.set(marker, (this.#demoted.get(marker) ?? 0) + change)
  }
}
