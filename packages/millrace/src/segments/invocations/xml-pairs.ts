import type { XmlToken } from './xml-tokens.ts'

/** Which tags belong together. */
export interface XmlPairs {
  /**
   * For each token that opens an element, the index of the one that ends it: itself if it closes itself,
   * {@link end} if nothing else does. For all other tokens -1: they are text or no tags.
   */
  readonly closers: readonly number[]
  /** The token that opens the `<arguments>` around the arguments, or -1. */
  readonly wrapper: number
  /** The token that ends the arguments, or the number of tokens. */
  readonly end: number
}

const WRAPPER = 'arguments'

/**
 * Pairs each closing tag with the innermost open tag of its name, in one pass; tags that were opened inside
 * that one and not closed are text. An argument that is never closed goes on to the end, and in a text that
 * was cut so do the tags in it.
 */
export function pairXmlTags(tokens: readonly XmlToken[], truncated: boolean): XmlPairs {
  const pairing = new Pairing(tokens)
  for (let index = 0; index < tokens.length && !pairing.isOver; index++) pairing.take(index)
  pairing.closeRest(truncated)
  return pairing
}

class Pairing implements XmlPairs {
  readonly closers: number[]
  wrapper = -1
  end: number
  isOver = false
  readonly #tokens: readonly XmlToken[]
  /** The tags that are open, innermost last, and for each name their positions in this list. */
  readonly #open: number[] = []
  readonly #positions = new Map<string, number[]>()
  #hasElement = false
  /** The first closer of the wrapper that was seen inside the argument in hand, or -1. */
  #wrapperCloser = -1

  constructor(tokens: readonly XmlToken[]) {
    this.#tokens = tokens
    this.closers = tokens.map(() => -1)
    this.end = tokens.length
  }

  take(index: number): void {
    const token = this.#tokens[index]
    if (token?.kind === 'open') this.#takeOpen(index, token.tag)
    else if (token?.kind === 'empty') this.#takeEmpty(index)
    else if (token?.kind === 'close') this.#takeClose(index, token.tag)
  }

  closeRest(truncated: boolean): void {
    // A closer of the wrapper inside a value is text only while the value's own closer may follow.
    if (this.#wrapperCloser !== -1 && !truncated) this.end = this.#wrapperCloser
    const rest = truncated ? this.#open : this.#open.slice(0, 1)
    for (const index of rest) this.closers[index] = this.end
  }

  #takeOpen(index: number, tag: string): void {
    if (tag === WRAPPER && !this.#hasElement) this.wrapper = index
    else this.#push(index, tag)
    this.#hasElement = true
  }

  #takeEmpty(index: number): void {
    this.closers[index] = index
    this.#hasElement = true
  }

  #takeClose(index: number, tag: string): void {
    const position = this.#positions.get(tag)?.at(-1)
    if (position !== undefined) this.#close(index, position)
    else if (tag === WRAPPER && this.wrapper !== -1) this.#closeWrapper(index)
  }

  #closeWrapper(index: number): void {
    if (this.#open.length > 0) {
      if (this.#wrapperCloser === -1) this.#wrapperCloser = index
      return
    }
    this.end = index
    this.isOver = true
  }

  #push(index: number, tag: string): void {
    const positions = this.#positions.get(tag)
    if (positions === undefined) this.#positions.set(tag, [this.#open.length])
    else positions.push(this.#open.length)
    this.#open.push(index)
  }

  #close(index: number, position: number): void {
    const opener = this.#open[position]
    while (this.#open.length > position) this.#pop()
    if (opener !== undefined) this.closers[opener] = index
    if (position === 0) this.#wrapperCloser = -1
  }

  #pop(): void {
    const index = this.#open.pop()
    const tag = index === undefined ? undefined : this.#tokens[index]?.tag
    if (tag !== undefined) this.#positions.get(tag)?.pop()
  }
}
