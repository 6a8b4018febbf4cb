import type { CallWriter } from '../../calls/call-writer.ts'
import { code, isNamePart } from '../../characters.ts'
import type { Closing } from '../../engine/bodies/arguments-body.ts'
import type { Reader, Reading } from '../../engine/reader.ts'
import { Scan } from '../../engine/scan/scan.ts'
import type { Sink } from '../../engine/scan/input-buffer.ts'
import type { SegmentEndPayload } from '../../segment-event.ts'
import { toLiteralJson } from './literal-json.ts'
import type { CompiledNotation, Quote } from './notation.ts'
import { PythonEscapes } from './python-syntax.ts'
import type { SegmentLimits } from '../../limits.ts'

interface ArgumentsEnd {
  /** The closing bracket was present. */
  readonly isClosed: boolean
  readonly payload: SegmentEndPayload
}

/** Reads the arguments of one call, each with its key. */
export class LiteralArguments {
  readonly #reader: Reader
  readonly #notation: CompiledNotation
  readonly #closing: Closing
  readonly #call: CallWriter
  readonly #close: number
  #isMalformed = false

  constructor(reader: Reader, notation: CompiledNotation, closing: Closing, call: CallWriter) {
    this.#reader = reader
    this.#notation = notation
    this.#closing = closing
    this.#call = call
    this.#close = notation.close.charCodeAt(0)
  }

  /** Reads the arguments and the bracket that closes them. */
  *read(): Reading<ArgumentsEnd> {
    const reader = this.#reader
    for (;;) {
      reader.accept()
      const start = reader.position
      if ((yield* reader.skipSpace()) === this.#close) return this.#finish()
      const key = yield* readKey(reader, this.#notation)
      if (key === undefined) return toEnd(yield* this.#stop(start))
      if (!(yield* this.#readValue(key))) return toEnd(yield* this.#stop(reader.position))
      const end = reader.position
      const unit = yield* reader.skipSpace()
      if (unit === code.comma) reader.position++
      else if (unit !== this.#close) return toEnd(yield* this.#stop(end))
    }
  }

  #finish(): ArgumentsEnd {
    this.#reader.position++
    this.#reader.accept()
    return { isClosed: true, payload: this.#isMalformed ? { malformed: true } : {} }
  }

  /** Handles a position with neither an argument nor the end. */
  *#stop(start: number): Reading<SegmentEndPayload> {
    const reader = this.#reader
    if (isOver(reader)) {
      reader.accept()
      return { complete: false }
    }
    reader.position = start
    yield* reader.skipSpace()
    const isClosed = (yield* reader.match(this.#closing.all)) !== undefined
    if (isClosed && !this.#isMalformed) return { repaired: true }
    if (!isClosed) yield* this.#passRest()
    return isOver(reader) ? { complete: false } : { malformed: true }
  }

  /** Keeps unreadable text in the content, up to the marker that closes the call; without one it is text. */
  *#passRest(): Reading<void> {
    if (this.#closing.all.length === 0) return
    yield* this.#reader.passUntil(this.#closing.set, { text: (piece) => this.#call.json(piece) })
  }

  *#readValue(key: string): Reading<boolean> {
    const reader = this.#reader
    yield* reader.skipSpace()
    const marker = yield* reader.match(this.#notation.openers)
    const quote = marker === undefined ? undefined : this.#notation.quotes.get(marker)
    if (quote !== undefined) return yield* this.#readStrings(key, quote)
    reader.accept()
    const field = new LiteralField(this.#call, key, reader.limits)
    const isWhole = yield* passLiteral(reader, this.#notation, field)
    if (!isWhole && isOver(reader)) field.cut()
    else if (!field.end((text) => this.#toJson(text))) this.#isMalformed = true
    return isWhole
  }

  #toJson(text: string): string | undefined {
    return toLiteralJson(text, this.#notation.syntax, this.#reader.limits.maxDepth)
  }

  /** Reads adjacent strings, separated by white space, as one. */
  *#readStrings(key: string, first: Quote): Reading<boolean> {
    const reader = this.#reader
    this.#call.beginField(key, this.#notation.stringType)
    const sink: Sink = { text: (piece) => this.#call.fieldText(piece) }
    let quote: Quote | undefined = first
    while (quote !== undefined) {
      reader.position += quote.open.length
      reader.accept()
      if (!(yield* this.#readString(quote, sink))) return false
      quote = yield* this.#nextString(reader.position)
    }
    this.#call.endField()
    return true
  }

  *#nextString(end: number): Reading<Quote | undefined> {
    const reader = this.#reader
    yield* reader.skipSpace()
    const isApart = this.#notation.hasEscapes && reader.position > end
    const marker = isApart ? yield* reader.match(this.#notation.openers) : undefined
    if (marker !== undefined) return this.#notation.quotes.get(marker)
    reader.position = end
    return undefined
  }

  /** Passes the decoded string on; returns false if the stream ended inside. */
  *#readString({ close, end, isRaw = false }: Quote, sink: Sink): Reading<boolean> {
    const reader = this.#reader
    const escapes = this.#notation.hasEscapes ? new PythonEscapes(sink, isRaw) : undefined
    const scan = new Scan(end, escapes ?? sink)
    scan.start(reader.position)
    for (;;) {
      yield scan
      reader.position = scan.foundAt
      if (scan.found.length === 0) break
      const after = scan.foundAt + close.length
      if (escapes?.isOpen !== true && (yield* this.#endsAt(after, close))) {
        escapes?.finish()
        reader.position = after
        reader.accept()
        return true
      }
      scan.reject()
    }
    escapes?.finish()
    return false
  }

  /** Checks whether a string can end here: only if the call can continue after it. */
  *#endsAt(after: number, close: string): Reading<boolean> {
    const reader = this.#reader
    const { position } = reader
    reader.position = after
    const isInner = close.length > 1 && (yield* reader.peek()) === close.charCodeAt(0)
    const ends = !(isInner && this.#notation.hasEscapes) && (yield* this.#canContinue(after))
    reader.position = position
    return ends
  }

  *#canContinue(after: number): Reading<boolean> {
    const reader = this.#reader
    const unit = yield* reader.skipSpace()
    if (unit === code.comma) {
      reader.position++
      if (yield* this.#closes(yield* reader.skipSpace())) return true
      return (yield* readKey(reader, this.#notation)) !== undefined || isOver(reader)
    }
    return (yield* this.#closes(unit)) || (yield* this.#nextString(after)) !== undefined
  }

  /** Checks whether the call or the stream is over at the position. */
  *#closes(unit: number): Reading<boolean> {
    if (unit === this.#close || isOver(this.#reader)) return true
    return (yield* this.#reader.match(this.#closing.all)) !== undefined
  }
}

function toEnd(payload: SegmentEndPayload): ArgumentsEnd {
  return { isClosed: false, payload }
}

function isOver({ input, position }: Reader): boolean {
  return input.ended && position >= input.end
}

/**
 * Passes a value to a sink unchanged, up to the comma or bracket after it. Returns false if the stream ended inside, or at a character that
 * no value can contain: a mismatched bracket, or `<`, so that a closing marker is found if brackets are missing.
 */
function* passLiteral(reader: Reader, notation: CompiledNotation, sink: Sink): Reading<boolean> {
  const placeOf = createNesting(notation, reader.limits.maxDepth)
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
      const place = placeOf(marker.stem)
      if (place !== 'inside') return place === 'over'
      scan.reject()
    }
  }
}

/** Follows the open brackets of a value: returns the effect of a bracket, a comma or `<` on the value. */
function createNesting(
  { closerOf, closers }: CompiledNotation,
  maxDepth: number,
): (sign: string) => 'inside' | 'over' | 'broken' {
  const expected: string[] = []
  return (sign) => {
    if (sign === '<') return 'broken'
    const closer = closerOf.get(sign)
    if (closer !== undefined) return expected.push(closer) > maxDepth ? 'broken' : 'inside'
    if (expected.length === 0) return 'over'
    return !closers.has(sign) || expected.pop() === sign ? 'inside' : 'broken'
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

/**
 * Looks ahead at a key and the assignment after it.
 * city = 'Oslo'
 * ^-----^
 * Returns undefined if there is none, with the position where that was found.
 */
export function* readKey(reader: Reader, notation: CompiledNotation): Reading<string | undefined> {
  const assign = notation.assign.charCodeAt(0)
  yield* reader.skipSpace()
  const key = (yield* readQuotedKey(reader, notation)) ?? (yield* readWord(reader))
  if (key === '' || (yield* reader.skipSpace()) !== assign) return undefined
  reader.position++
  // A comparison, as in `[count(n==1)]`, is not a key.
  return (yield* reader.peek()) === assign ? undefined : key
}

/** Reads letters, digits and other characters of names from the position. */
export function* readWord(reader: Reader): Reading<string> {
  const start = reader.position
  const limit = start + reader.limits.maxOpener
  for (;;) {
    const unit = yield* reader.peek()
    if (!isNamePart(unit) || unit === code.colon || reader.position >= limit) break
    reader.position++
  }
  return reader.input.slice(start, reader.position)
}

function* readQuotedKey(reader: Reader, notation: CompiledNotation): Reading<string | undefined> {
  if (notation.hasQuotedKeys !== true) return undefined
  const opener = yield* reader.match(notation.openers)
  const quote = opener === undefined ? undefined : notation.quotes.get(opener)
  if (quote === undefined) return undefined
  const start = reader.matchEnd
  const limit = start + reader.limits.maxOpener
  reader.position = start
  while ((yield* reader.match(quote.end.markers)) === undefined) {
    if ((yield* reader.peek()) === -1 || reader.position >= limit) return ''
    reader.position++
  }
  const key = reader.input.slice(start, reader.position)
  reader.position = reader.matchEnd
  return key
}

/** One argument that is not a string: held until it is complete, then written as JSON. An argument over the limit is a string. */
export class LiteralField implements Sink {
  readonly #call: CallWriter
  readonly #key: string
  readonly #maxHeld: number
  #held = ''
  #isTooLong = false

  constructor(call: CallWriter, key: string, { maxHeld }: SegmentLimits) {
    this.#call = call
    this.#key = key
    this.#maxHeld = maxHeld
  }

  text(piece: string): void {
    if (this.#isTooLong) this.#call.fieldText(piece)
    else this.#held += piece
    if (this.#held.length > this.#maxHeld) this.#release()
  }

  /** Ends the value; returns false if it cannot be written as JSON and is therefore a string. */
  end(toJson: (text: string) => string | undefined): boolean {
    const json = this.#isTooLong ? undefined : toJson(this.#held)
    if (json === undefined) this.#release()
    else {
      this.#call.beginField(this.#key, 'json')
      this.#call.fieldText(json)
    }
    this.#call.endField()
    return json !== undefined
  }

  /** Records that the stream ended inside the value. */
  cut(): void {
    this.#release()
  }

  #release(): void {
    if (!this.#isTooLong) this.#call.beginField(this.#key, 'string')
    this.#isTooLong = true
    this.#call.fieldText(this.#held)
    this.#held = ''
  }
}
