/** An immutable list whose updates share all that did not change. */
export interface Sequence<T> extends Iterable<T> {
  readonly length: number
  /** The item at a position; negative positions count from the end. */
  at(position: number): T | undefined
  /** The list with one more item. */
  push(item: T): Sequence<T>
  /** The list with an item at a position that it has, or at the one after its last. */
  set(position: number, item: T): Sequence<T>
  /** The list without the items from `length` on. */
  truncate(length: number): Sequence<T>
}

/** An empty list. */
export function emptySequence<T extends object>(): Sequence<T> {
  return new Vector<T>(0, [], undefined)
}

/** Leaves and the nodes above them have room for 2^6 items; the root for as many nodes as there are. */
const BITS = 6
const WIDTH = 1 << BITS

type Leaf<T> = readonly T[]
type Node<T> = readonly Leaf<T>[]

/**
 * A tree three levels deep that holds all items but the last. That one stands apart, because a stream changes
 * its last block with nearly every message, and should copy no node for it.
 */
class Vector<T extends object> implements Sequence<T> {
  readonly length: number
  readonly #root: readonly Node<T>[]
  readonly #last: T | undefined

  constructor(length: number, root: readonly Node<T>[], last: T | undefined) {
    this.length = length
    this.#root = root
    this.#last = last
  }

  at(position: number): T | undefined {
    const { length } = this
    const index = position < 0 ? position + length : position
    if (index === length - 1) return this.#last
    // The tree may still hold what was cut off.
    if (!(index < length)) return undefined
    return this.#root[index >> (2 * BITS)]?.[(index >> BITS) % WIDTH]?.[index % WIDTH]
  }

  push(item: T): Sequence<T> {
    return this.set(this.length, item)
  }

  set(position: number, item: T): Sequence<T> {
    const { length } = this
    const last = this.#last
    if (position === length - 1 || last === undefined)
      return new Vector(position + 1, this.#root, item)
    if (position < length) return new Vector(length, put(this.#root, position, item), last)
    return new Vector(position + 1, put(this.#root, length - 1, last), item)
  }

  truncate(length: number): Sequence<T> {
    if (length >= this.length) return this
    return new Vector(length, this.#root, length > 0 ? this.at(length - 1) : undefined)
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let position = 0; position < this.length; position++) yield this.at(position)!
  }
}

/** Copies the path to a position, and nothing else. */
function put<T>(root: readonly Node<T>[], position: number, item: T): readonly Node<T>[] {
  const node = root[position >> (2 * BITS)] ?? []
  const leaf = node[(position >> BITS) % WIDTH] ?? []
  const grown = replace(node, (position >> BITS) % WIDTH, replace(leaf, position % WIDTH, item))
  return replace(root, position >> (2 * BITS), grown)
}

function replace<T>(list: readonly T[], slot: number, item: T): readonly T[] {
  const copy = list.slice()
  copy[slot] = item
  return copy
}
