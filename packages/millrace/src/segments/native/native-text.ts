import type { SegmentEmitter } from '../segment-emitter.ts'
import { SurrogateJoiner } from './surrogate-joiner.ts'

type TextType = 'text' | 'reasoning'

/** Writes text and reasoning as segments that are open until another kind of content follows. */
export class NativeText {
  readonly #emitter: SegmentEmitter
  readonly #pairs = new SurrogateJoiner()
  #type: TextType | undefined
  #id: string | undefined

  constructor(emitter: SegmentEmitter) {
    this.#emitter = emitter
  }

  write(type: TextType, piece: string): void {
    if (this.#type !== type) this.close()
    this.#type = type
    this.#emit(type, this.#pairs.take(piece))
  }

  close(): void {
    if (this.#type !== undefined) this.#emit(this.#type, this.#pairs.flush())
    if (this.#id !== undefined) this.#emitter.end(this.#id)
    this.#type = undefined
    this.#id = undefined
  }

  #emit(type: TextType, text: string): void {
    if (text === '') return
    this.#id ??= this.#emitter.start(type, {})
    this.#emitter.content(this.#id, text)
  }
}
