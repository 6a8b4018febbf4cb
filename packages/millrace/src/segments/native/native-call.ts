import type { JsonObject } from '../../json/index.ts'
import type { CallWriter } from '../calls/call-writer.ts'
import { JsonScanner } from '../calls/json-scanner.ts'
import type { SegmentLimits } from '../limits.ts'
import type { SegmentEndPayload } from '../segment-event.ts'
import { SurrogateJoiner } from './surrogate-joiner.ts'

/** The id and name of a provider's call; each is empty until it is known. */
export interface NativeCallName {
  readonly callId: string
  readonly name: string
}

const UNKNOWN: NativeCallName = { callId: '', name: '' }

/** One call of a provider: starts when its name is known, or when too many arguments are held. */
export class NativeCall {
  ended = false
  readonly #limits: SegmentLimits
  readonly #createWriter: (start: NativeCallName) => CallWriter
  readonly #scanner: JsonScanner
  readonly #pairs = new SurrogateJoiner()
  #known = UNKNOWN
  /** The id and name that were known when the segment started. */
  #started = UNKNOWN
  #writer: CallWriter | undefined
  #held = ''

  constructor(limits: SegmentLimits, createWriter: (start: NativeCallName) => CallWriter) {
    this.#limits = limits
    this.#createWriter = createWriter
    this.#scanner = new JsonScanner(limits.maxDepth)
  }

  get callId(): string {
    return this.#known.callId
  }

  get name(): string {
    return this.#known.name
  }

  /** Whether the arguments are a complete JSON value. */
  get isComplete(): boolean {
    return this.#scanner.status === 'complete'
  }

  /** Sets id and name; the first of each counts. */
  identify({ callId, name }: NativeCallName): void {
    this.#known = { callId: this.callId || callId, name: this.name || name }
    if (this.#writer === undefined && this.name !== '') this.#start()
  }

  /** Reads more of the arguments, cut anywhere. */
  feed(text: string): void {
    this.#scanner.feed(text)
    this.#pass(this.#pairs.take(text))
  }

  end(): void {
    if (this.ended) return
    this.ended = true
    this.#scanner.finish()
    this.#pass(this.#pairs.flush())
    const writer = this.#writer ?? this.#start()
    writer.end(this.#endPayload())
  }

  #endPayload(): SegmentEndPayload {
    const { status } = this.#scanner
    const metadata = this.#lateMetadata()
    return {
      ...(status !== 'complete' && status !== 'blank' && { complete: false }),
      ...(this.name === '' && { malformed: true }),
      ...(Object.keys(metadata).length > 0 && { metadata }),
    }
  }

  #lateMetadata(): JsonObject {
    return {
      ...(this.callId !== this.#started.callId && { call_id: this.callId }),
      ...(this.name !== this.#started.name && { tool_name: this.name }),
    }
  }

  #pass(text: string): void {
    if (this.#writer !== undefined) return this.#writer.json(text)
    this.#held += text
    if (this.#held.length > this.#limits.maxHeld) this.#start()
  }

  #start(): CallWriter {
    const writer = this.#createWriter(this.#known)
    this.#writer = writer
    this.#started = this.#known
    writer.json(this.#held)
    this.#held = ''
    return writer
  }
}
