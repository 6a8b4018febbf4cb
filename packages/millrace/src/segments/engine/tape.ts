import { GatheredText } from '../gathered-text.ts'
import type { SourcePiece } from '../source-piece.ts'
import type { Sink } from './step.ts'

/** Held text beyond this many units is joined with what comes only when someone asks for it. */
const MUCH = 512

/**
 * The text that has been fed and not yet taken. Positions count from the start of the stream, so that they
 * stay true when the front of the tape is dropped.
 */
export class Tape {
  base = 0
  /** The newest chunk, and where it begins: whoever waits in much that is held can read on from there. */
  newest = ''
  newestBase = 0
  #text = ''
  /** Chunks at the end that nobody has asked for as part of the text. */
  #late: GatheredText | undefined
  #end = 0
  /** Everything before it has become events or markup. */
  taken = 0
  /** Nothing more will come. */
  ended = false
  /** Something has come since the last look. */
  fresh = false
  /** Half of a surrogate pair whose other half is in the next chunk. */
  #half = ''
  readonly #onSource: ((piece: SourcePiece) => void) | undefined
  readonly #openSegment: () => string | undefined

  constructor(
    onSource?: (piece: SourcePiece) => void,
    openSegment: () => string | undefined = () => undefined,
  ) {
    this.#onSource = onSource
    this.#openSegment = openSegment
  }

  /** What is on the tape, from `base` on. */
  get text(): string {
    if (this.#late !== undefined) {
      this.#text += this.#late.toString()
      this.#late = undefined
    }
    return this.#text
  }

  /** The position after the last character. */
  get end(): number {
    return this.#end
  }

  /** What has been fed and is still undecided. */
  get held(): string {
    return this.text.slice(this.taken - this.base) + this.#half
  }

  /** Appends a chunk; the pair that it cuts stays whole. */
  push(chunk: string): void {
    let more = this.#half === '' ? chunk : this.#half + chunk
    this.#half = ''
    const last = more.charCodeAt(more.length - 1)
    if (last >= 0xd800 && last <= 0xdbff) {
      this.#half = more.slice(-1)
      more = more.slice(0, -1)
    }
    this.#append(more)
  }

  /** Says that nothing more comes. */
  finish(): void {
    const half = this.#half
    this.#half = ''
    this.#append(half)
    this.ended = true
  }

  #append(more: string): void {
    const held = this.#end - this.taken
    this.newest = more
    this.newestBase = this.#end
    this.#end += more.length
    this.fresh = true
    // Joining would copy all that is held for every chunk.
    if (held > MUCH && this.taken === this.base) {
      this.#late ??= new GatheredText()
      this.#late.add(more)
      return
    }
    this.#text = held === 0 ? more : this.text.slice(-held) + more
    this.base = this.taken
  }

  /** The code unit at a position that has come; NaN if none has. */
  codeAt(position: number): number {
    return position >= this.newestBase
      ? this.newest.charCodeAt(position - this.newestBase)
      : this.text.charCodeAt(position - this.base)
  }

  slice(from: number, to: number): string {
    return this.text.slice(from - this.base, to - this.base)
  }

  /** Takes everything before a position as markup. */
  drop(to: number): void {
    const text = this.#take(to)
    if (text !== '') this.#onSource?.({ role: 'markup', text })
  }

  /** Takes everything before a position as content, and hands it on as it is, or what was made of it. */
  pass(to: number, sink: Sink, made?: string): void {
    const text = this.#take(to)
    const content = made ?? text
    if (content !== '') sink.text(content)
    if (text === '' || this.#onSource === undefined) return
    const id = this.#openSegment()
    this.#onSource({ role: 'content', text, ...(id !== undefined && { segment_id: id }) })
  }

  #take(to: number): string {
    if (to <= this.taken) return ''
    const from = this.taken - this.base
    const length = to - this.base
    const whole = from === 0 && length === this.text.length
    const text = whole ? this.text : this.text.slice(from, length)
    this.taken = to
    return text
  }
}
