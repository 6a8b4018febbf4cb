import type { CodeKind } from './engine/scan/code-regions.ts'
import type { CodeWatch } from './engine/scan/scan.ts'
import type { InvocationReader } from './invocations/invocation-reader.ts'
import type { SegmentLimits } from './limits.ts'
import type { SegmentParser } from './parser.ts'
import type { SegmentEvent } from './segment-event.ts'

/** The code around a call; an unclosed fence hides everything to the end of the stream. */
export type HiddenReason = 'fence' | 'unclosed_fence' | 'inline_code'

/** A complete call that stayed text because it is in Markdown code. */
export interface HiddenCall {
  /** The name of the tool. */
  readonly name: string
  readonly reason: HiddenReason
}

interface HiddenCallFinderOptions {
  /** Creates a parser that ignores Markdown code. */
  readonly createParser: () => SegmentParser
  readonly createReader: () => InvocationReader
  readonly limits: SegmentLimits
  readonly onHiddenCall: (call: HiddenCall) => void
}

/** Finds the calls in code from the first opener, within `maxHeld` units of it; a stream reports at most `maxCalls`. */
export class HiddenCallFinder implements CodeWatch {
  from: number | undefined
  readonly #options: HiddenCallFinderOptions
  #parser: SegmentParser | undefined
  #reader: InvocationReader | undefined
  /** Length of the code that the parser has read. */
  #length = 0
  /** Tools called in the open code. */
  #names: string[] = []
  #reported = 0

  constructor(options: HiddenCallFinderOptions) {
    this.#options = options
  }

  begin(position: number): void {
    this.from = position
    this.#length = 0
    this.#parser = this.#options.createParser()
    this.#reader = this.#options.createReader()
  }

  take(text: string): void {
    const rest = this.#options.limits.maxHeld - this.#length
    this.from = (this.from ?? 0) + text.length
    this.#length += text.length
    if (this.#parser !== undefined) this.#read(this.#parser.feed(text.slice(0, rest)))
    if (text.length >= rest) this.#parser = undefined
  }

  end(kind: CodeKind, isOpen: boolean): void {
    if (this.#parser !== undefined) this.#read(this.#parser.finalize())
    const reason = kind === 'inline' ? 'inline_code' : isOpen ? 'unclosed_fence' : 'fence'
    const names = this.#names
    this.#names = []
    this.#parser = undefined
    this.#reader = undefined
    this.from = undefined
    for (const name of names) this.#options.onHiddenCall({ name, reason })
  }

  skip(position: number): void {
    if (this.from !== undefined) this.from = Math.max(this.from, position)
  }

  #read(events: readonly SegmentEvent[]): void {
    const { maxCalls } = this.#options.limits
    for (const event of events)
      for (const { name } of this.#reader?.feed(event) ?? [])
        if (this.#reported++ < maxCalls) this.#names.push(name)
  }
}
