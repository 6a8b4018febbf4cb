import type { XmlTokens } from './xml-tokens.ts'

/** Pairs of opening and closing tags. */
export interface XmlPairs {
  /**
   * For each token that opens an element, the index of the token that ends it: itself if it is self-closing,
   * {@link end} if it has no closer. For all other tokens -1: they are text or not tags.
   */
  readonly closers: Int32Array
  /** The token that opens the `<arguments>` around the arguments, or -1. */
  readonly wrapper: number
  /** The token that ends the arguments, or the number of tokens. */
  readonly end: number
}

const WRAPPER = 'arguments'

/**
 * Pairs each closing tag with the innermost open tag of its name, in one pass; unclosed tags inside that one are
 * text. An argument that is never closed extends to the end, and in a text that was cut so do the tags in it.
 */
export function pairXmlTags(tokens: XmlTokens, truncated: boolean): XmlPairs {
  const pairing = new Pairing(tokens)
  for (let index = 0; index < tokens.length && !pairing.isOver; index++) pairing.take(index)
  pairing.closeRest(truncated)
  return pairing
}

class Pairing implements XmlPairs {
  readonly closers: Int32Array
  wrapper = -1
  end: number
  isOver = false
  readonly #tokens: XmlTokens
  readonly #wrapperTag: number
  /** The open tags, innermost last. */
  readonly #open: Int32Array
  #depth = 0
  /** For each tag, the position of its innermost open one in that list, and for each position the next outer one. */
  readonly #innermost: Int32Array
  readonly #outer: Int32Array
  #hasElement = false
  /** The first closer of the wrapper inside the current argument, or -1. */
  #wrapperCloser = -1

  constructor(tokens: XmlTokens) {
    this.#tokens = tokens
    this.#wrapperTag = tokens.tagNamed(WRAPPER)
    this.closers = new Int32Array(tokens.length).fill(-1)
    this.#open = new Int32Array(tokens.length)
    this.#innermost = new Int32Array(tokens.tagCount).fill(-1)
    this.#outer = new Int32Array(tokens.length)
    this.end = tokens.length
  }

  take(index: number): void {
    const kind = this.#tokens.kindOf(index)
    if (kind === 'open') this.#takeOpen(index, this.#tokens.tagOf(index))
    else if (kind === 'empty') this.#takeEmpty(index)
    else if (kind === 'close') this.#takeClose(index, this.#tokens.tagOf(index))
  }

  closeRest(truncated: boolean): void {
    // A closer of the wrapper inside a value is text only while the value's own closer may follow.
    if (this.#wrapperCloser !== -1 && !truncated) this.end = this.#wrapperCloser
    const rest = this.#open.subarray(0, truncated ? this.#depth : Math.min(this.#depth, 1))
    for (const index of rest) this.closers[index] = this.end
  }

  #takeOpen(index: number, tag: number): void {
    if (tag === this.#wrapperTag && !this.#hasElement) this.wrapper = index
    else this.#push(index, tag)
    this.#hasElement = true
  }

  #takeEmpty(index: number): void {
    this.closers[index] = index
    this.#hasElement = true
  }

  #takeClose(index: number, tag: number): void {
    const position = this.#innermost[tag] ?? -1
    if (position !== -1) this.#close(index, position)
    else if (tag === this.#wrapperTag && this.wrapper !== -1) this.#closeWrapper(index)
  }

  #closeWrapper(index: number): void {
    if (this.#depth > 0) {
      if (this.#wrapperCloser === -1) this.#wrapperCloser = index
      return
    }
    this.end = index
    this.isOver = true
  }

  #push(index: number, tag: number): void {
    this.#outer[this.#depth] = this.#innermost[tag] ?? -1
    this.#innermost[tag] = this.#depth
    this.#open[this.#depth++] = index
  }

  #close(index: number, position: number): void {
    while (this.#depth > position) this.#pop()
    this.closers[this.#open[position] ?? index] = index
    if (position === 0) this.#wrapperCloser = -1
  }

  #pop(): void {
    const index = this.#open[--this.#depth] ?? -1
    this.#innermost[this.#tokens.tagOf(index)] = this.#outer[this.#depth] ?? -1
  }
}
