import { findStringEnd, isEscaped } from '../../calls/json-string-decoder.ts'
import { code, isSpace } from '../../characters.ts'
import type { Sink, Step, InputBuffer } from './input-buffer.ts'

/** The treatment of the value: passed on, dropped as markup, or only read ahead. */
export type JsonUse = Sink | 'drop' | 'look'

interface JsonScanOptions {
  readonly use: JsonUse
  readonly maxDepth: number
  /** Maximum length of a value that is only read ahead. */
  readonly maxLook: number
  /** Accepts `<` and backticks outside strings, for a value that is already invalid. */
  readonly lenient?: boolean
}

/**
 * Scans one JSON value, which ends by its structure: markers inside its strings are data. A `<` or a backtick
 * outside a string is not JSON and breaks the value.
 */
export class JsonScan implements Step {
  /** `cut` if the stream ended inside the value. */
  outcome: 'complete' | 'broken' | 'cut' = 'complete'
  /** The position after the value, or of the character that broke it. */
  position = 0
  /** The value broke or was cut inside a string. */
  inString = false
  readonly #options: JsonScanOptions
  readonly #lenient: boolean
  /** The closing brackets that are expected, the innermost last. */
  readonly #closers: number[] = []
  /** A value that is only read ahead breaks at this position, independent of chunk boundaries. */
  readonly #limit: number
  #scalar = false
  #escaped = false
  #begun = false

  constructor(options: JsonScanOptions, position: number) {
    this.#options = options
    this.#lenient = options.lenient ?? false
    this.position = position
    this.#limit = options.use === 'look' ? position + options.maxLook : Infinity
  }

  /** The brackets that would close the value. */
  get missing(): string {
    return String.fromCharCode(...this.#closers.toReversed())
  }

  advance(input: InputBuffer): boolean {
    const isNewest = this.position >= input.newestBase
    const text = isNewest ? input.newest : input.text
    const base = isNewest ? input.newestBase : input.base
    let index = this.position - base
    const limit = this.#limit - base
    const end = Math.min(text.length, limit)
    while (index < end) {
      if (this.inString) index = this.#passString(text, index, end)
      else {
        const next = this.#passUnit(text.charCodeAt(index), index)
        if (next === index) return this.#stop(input, base + index)
        index = next
      }
      if (this.#isWhole()) return this.#stop(input, base + index)
    }
    this.#flush(input, base + index)
    if (index < limit && !input.ended) return false
    this.outcome = index < limit ? 'cut' : 'broken'
    return true
  }

  #stop(input: InputBuffer, position: number): boolean {
    this.#flush(input, position)
    return true
  }

  #flush(input: InputBuffer, position: number): void {
    this.position = position
    const { use } = this.#options
    if (use === 'look') return
    if (use === 'drop') input.drop(this.position)
    else input.pass(this.position, use)
  }

  #isWhole(): boolean {
    return this.#begun && !this.#scalar && !this.inString && this.#closers.length === 0
  }

  /** Scans to the quote that ends the string, or to an index. */
  #passString(text: string, from: number, end: number): number {
    const start = this.#escaped ? from + 1 : from
    const quote = findStringEnd(text, start)
    this.inString = quote === -1 || quote >= end
    this.#escaped = this.inString && isEscaped(text, start, end)
    return this.inString ? end : quote + 1
  }

  /** Returns the index after the unit, or the same index if the value ends or breaks before it. */
  #passUnit(unit: number, index: number): number {
    if (this.#scalar && this.#closers.length === 0) return isScalarPart(unit) ? index + 1 : index
    if (isSpace(unit)) return index + 1
    this.#begun = true
    if (unit === code.quote) this.inString = true
    else if (unit === code.openBrace) return this.#open(code.closeBrace, index)
    else if (unit === code.openBracket) return this.#open(code.closeBracket, index)
    else if (unit === code.closeBrace || unit === code.closeBracket) return this.#close(unit, index)
    else if (!this.#lenient && (unit === code.less || unit === code.backtick))
      return this.#break(index)
    else if (this.#closers.length === 0) return this.#beginScalar(unit, index)
    return index + 1
  }

  #beginScalar(unit: number, index: number): number {
    if (!isScalarPart(unit)) return this.#break(index)
    this.#scalar = true
    return index + 1
  }

  #open(closer: number, index: number): number {
    if (this.#closers.length >= this.#options.maxDepth) return this.#break(index)
    this.#closers.push(closer)
    return index + 1
  }

  #close(unit: number, index: number): number {
    if (this.#closers.at(-1) !== unit) return this.#break(index)
    this.#closers.pop()
    return index + 1
  }

  #break(index: number): number {
    this.outcome = 'broken'
    return index
  }
}

/** Checks for a character of a number or a literal: a letter, a digit, a sign or a point. */
function isScalarPart(unit: number): boolean {
  const lower = unit | 0x20
  const isWord = (lower >= 0x61 && lower <= 0x7a) || (unit >= 0x30 && unit <= 0x39)
  return isWord || unit === 0x2b || unit === 0x2d || unit === 0x2e
}
