import type { Reader, Reading } from '../../engine/reader.ts'
import { Scan } from '../../engine/scan/scan.ts'
import type { Sink } from '../../engine/scan/step.ts'
import type { CompiledNotation, Quote } from './notation.ts'
import { PythonEscapes } from './python-escapes.ts'

/**
 * Passes a value to a sink unchanged, up to the comma or bracket after it. Returns false if the stream ended
 * inside, or at a character that no value can contain: a mismatched bracket, or `<`, so that a closing marker is
 * found if brackets are missing.
 */
export function* passLiteral(
  reader: Reader,
  notation: CompiledNotation,
  sink: Sink,
): Reading<boolean> {
  const nesting = new Nesting(notation, reader.limits.maxDepth)
  const scan = new Scan(notation.structure, sink)
  scan.start(reader.position)
  for (;;) {
    yield scan
    reader.position = scan.foundAt
    const [marker] = scan.found
    if (marker === undefined) return false
    const quote = notation.quotes.get(marker)
    if (quote !== undefined) {
      if (!(yield* passString(reader, quote, notation.hasEscapes, sink))) return false
      scan.start(reader.position)
    } else {
      const place = nesting.take(marker.stem)
      if (place !== 'inside') return place === 'over'
      scan.reject()
    }
  }
}

/** The open brackets of a value. */
class Nesting {
  readonly #notation: CompiledNotation
  readonly #maxDepth: number
  readonly #expected: string[] = []

  constructor(notation: CompiledNotation, maxDepth: number) {
    this.#notation = notation
    this.#maxDepth = maxDepth
  }

  /** Returns the effect of a bracket, a comma or `<` on the value. */
  take(sign: string): 'inside' | 'over' | 'broken' {
    if (sign === '<') return 'broken'
    const closer = this.#notation.closerOf.get(sign)
    if (closer !== undefined) {
      this.#expected.push(closer)
      return this.#expected.length > this.#maxDepth ? 'broken' : 'inside'
    }
    if (this.#expected.length === 0) return 'over'
    const fits = !this.#notation.closers.has(sign) || this.#expected.pop() === sign
    return fits ? 'inside' : 'broken'
  }
}

/** Passes a string with its quotes; returns false if the stream ended inside. */
function* passString(
  reader: Reader,
  { open, close, end }: Quote,
  hasEscapes: boolean,
  sink: Sink,
): Reading<boolean> {
  const escapes = hasEscapes ? new PythonEscapes(sink, true) : undefined
  const scan = new Scan(end, escapes ?? sink)
  scan.start(reader.position + open.length)
  do {
    if (scan.found.length > 0) scan.reject()
    yield scan
  } while (scan.found.length > 0 && escapes?.isOpen === true)
  escapes?.finish()
  reader.position = scan.foundAt + (scan.found.length > 0 ? close.length : 0)
  return scan.found.length > 0
}
