import { SurrogateJoiner } from '../../characters.ts'
import { TextBuilder } from '../../text-builder.ts'

/** Beyond this many held units, chunks are joined only when `text` is read. */
const MAX_JOINED_LENGTH = 512

/**
 * The input that has arrived and has not been consumed. Positions count from the start of the stream, so that they stay valid when the
 * front of the buffer is dropped.
 */
export class InputBuffer {
  base = 0
  /** The newest chunk, and its position: a reader that waits in a long held text can read only this. */
  newest = ''
  newestBase = 0
  #text = ''
  /** Chunks at the end that are not yet joined with the text. */
  #late: TextBuilder | undefined
  #end = 0
  /** All text before this position has become events or markup. */
  consumed = 0
  /** No more input will arrive. */
  ended = false
  /** Input has arrived since the last read. */
  hasNewInput = false
  readonly #pairs = new SurrogateJoiner()
  readonly #onSource: ((piece: SourcePiece) => void) | undefined
  readonly #openSegment: () => string | undefined

  constructor(
    onSource?: (piece: SourcePiece) => void,
    openSegment: () => string | undefined = () => undefined,
  ) {
    this.#onSource = onSource
    this.#openSegment = openSegment
  }

  /** The buffered text, from `base`. */
  get text(): string {
    if (this.#late !== undefined) {
      this.#text += this.#late.toString()
      this.#late = undefined
    }
    return this.#text
  }

  get end(): number {
    return this.#end
  }

  /** The text that has arrived and is still undecided. */
  get held(): string {
    return this.text.slice(this.consumed - this.base) + this.#pairs.held
  }

  /** Appends a chunk; a surrogate pair that it cuts stays whole. */
  push(chunk: string): void {
    this.#append(this.#pairs.take(chunk))
  }

  finish(): void {
    this.#append(this.#pairs.flush())
    this.ended = true
  }

  #append(more: string): void {
    const held = this.#end - this.consumed
    this.newest = more
    this.newestBase = this.#end
    this.#end += more.length
    this.hasNewInput = true
    // Joining would copy the held text for every chunk.
    if (held > MAX_JOINED_LENGTH && this.consumed === this.base) {
      this.#late ??= new TextBuilder()
      this.#late.add(more)
      return
    }
    this.#text = held === 0 ? more : this.text.slice(-held) + more
    this.base = this.consumed
  }

  /** Returns the code unit at a position; NaN if it has not arrived. */
  codeAt(position: number): number {
    return position >= this.newestBase
      ? this.newest.charCodeAt(position - this.newestBase)
      : this.text.charCodeAt(position - this.base)
  }

  slice(from: number, to: number): string {
    return this.text.slice(from - this.base, to - this.base)
  }

  /** Consumes the text before a position as markup. */
  drop(to: number): void {
    const text = this.#take(to)
    if (text !== '') this.#onSource?.({ role: 'markup', text })
  }

  /** Consumes the text before a position as content, and passes it on, or `made` in its place. */
  pass(to: number, sink: Sink, made?: string): void {
    const text = this.#take(to)
    const content = made ?? text
    if (content !== '') sink.text(content)
    if (text === '' || this.#onSource === undefined) return
    const id = this.#openSegment()
    this.#onSource({ role: 'content', text, ...(id !== undefined && { segment_id: id }) })
  }

  #take(to: number): string {
    if (to <= this.consumed) return ''
    const from = this.consumed - this.base
    const length = to - this.base
    const whole = from === 0 && length === this.text.length
    const text = whole ? this.text : this.text.slice(from, length)
    this.consumed = to
    return text
  }
}

/** The role of a piece of the input text. */
export interface SourcePiece {
  /** `content` is in the content of a segment, possibly decoded; `markup` is in no content: tags, space between them, metadata. */
  readonly role: 'content' | 'markup'
  /** The text as it was fed; all pieces joined are the whole input. */
  readonly text: string
  /** The segment whose content it is; undefined for content that waits for its segment to start. */
  readonly segment_id?: string
}

/**
 * A condition that a format reader waits for. Steps are driven from outside the coroutine, so that a chunk in the middle of a long body
 * costs one call and no resumption.
 */
export interface Step {
  /** Advances as far as the buffer allows; returns true once the reader can continue. */
  advance(input: InputBuffer): boolean
}

/** Waits for any further input, or for the end. */
export const more: Step = {
  advance(input) {
    const { hasNewInput } = input
    input.hasNewInput = false
    return hasNewInput
  },
}

/** Receives content as it is read. */
export interface Sink {
  text(piece: string): void
}
