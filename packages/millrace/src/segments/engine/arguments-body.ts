import type { CallWriter } from '../calls/call-writer.ts'
import type { ArgumentsBody } from '../format.ts'
import type { BodyReader } from './block.ts'
import { code } from '../characters.ts'
import { type Closing, compileClosing, endBroken, passMalformed, takeCloser } from './closing.ts'
import { JsonScan } from './json-scan.ts'
import { Marker } from './marker.ts'
import type { Reader } from './reader.ts'
import type { Reading } from './step.ts'
import { StringScan } from './string-scan.ts'

/** Compiles JSON arguments of a call that the opener named. */
export function compileArguments(body: ArgumentsBody): BodyReader {
  const closing = compileClosing(body.close, body.endsBefore)
  return function* (reader, opening) {
    const name = body.name === undefined ? opening.name : (opening.attributes.get(body.name) ?? '')
    if (name === '') return false
    reader.accept()
    const { metadata } = opening
    const call = reader.call({ name, ...(metadata !== undefined && { metadata }) })
    if (opening.selfClosing === true) {
      call.end()
      return true
    }
    yield* reader.skipSpace()
    if ((yield* reader.match(closing.all)) !== undefined) call.end()
    else if (yield* passArguments(reader, call, closing)) call.end()
    yield* takeCloser(reader, closing)
    return true
  }
}

/** Arguments are an object, or JSON in a string; a list is JSON, but not arguments. */
export function beginsArguments(unit: number): boolean {
  return unit === code.openBrace || unit === code.openBracket || unit === code.quote
}

/** Null stands for no arguments. */
const NULL = [new Marker('null')]

/**
 * Passes the arguments to the call, decoded if they are JSON in a string; returns false if they were invalid, and
 * the call has ended.
 */
export function* passArguments(
  reader: Reader,
  call: CallWriter,
  closing: Closing,
): Reading<boolean> {
  const sink = { text: (piece: string) => call.json(piece) }
  const unit = yield* reader.skipSpace()
  reader.accept()
  if (unit === code.quote) return yield* passEncoded(reader, call)
  if ((yield* reader.match(NULL)) !== undefined) {
    reader.position = reader.matchEnd
    reader.accept()
    return true
  }
  if (!beginsArguments(unit)) {
    yield* passMalformed(reader, call, closing)
    return false
  }
  const { maxDepth, maxHeld: maxLook } = reader.limits
  const scan = new JsonScan({ use: sink, maxDepth, maxLook }, reader.position)
  yield scan
  reader.position = scan.position
  if (scan.outcome === 'complete') return true
  yield* endBroken(reader, call, scan, closing)
  return false
}

function* passEncoded(reader: Reader, call: CallWriter): Reading<boolean> {
  reader.position++
  reader.accept()
  const scan = new StringScan({ text: (piece) => call.json(piece) }, reader.position)
  yield scan
  reader.position = scan.position
  if (!scan.isCut) return true
  call.end({ complete: false })
  return false
}
