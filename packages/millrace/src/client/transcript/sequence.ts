/** An immutable list whose updates share unchanged parts. */
export interface Sequence<T> extends Iterable<T> {
  readonly length: number
  /** Returns the item at a position; negative positions count from the end. */
  at(position: number): T | undefined
  /** Returns the position of the latest item with a key (type and id), or the one after all items. */
  find(key: string): number
  /** Returns the list with an item at one of its positions, or at its end. */
  set(position: number, item: T): Sequence<T>
  /** Returns the list without the items from `length` on. */
  truncate(length: number): Sequence<T>
}

interface Keyed {
  readonly type?: string
  readonly id?: string
}

/** Returns an empty list. */
export function emptySequence<T extends object>(): Sequence<T> {
  return new Vector<T>(new Map(), 0, [], undefined)
}

type Tree<T> = readonly (Tree<T> | T)[]

/**
 * A tree of three levels with all items except the last: leaves of 64 items, nodes of 64 leaves, and a root with the nodes of 4,096 items
 * each. The last item is separate, because a stream changes its last block with nearly every frame, and should copy no node for it.
 */
class Vector<T extends object> implements Sequence<T> {
  declare readonly length: number
  /**
   * The furthest position at which each key was ever added. All versions of a list share it, so an entry counts only if the item at that
   * position has the key in this version; a key without an entry is in none of them.
   */
  readonly #places: Map<string, number>
  readonly #root: readonly (readonly (readonly T[])[])[]
  readonly #last: T | undefined

  constructor(places: Map<string, number>, length: number, root: Tree<T>, last: T | undefined) {
    this.length = length
    this.#places = places
    this.#root = root as readonly (readonly (readonly T[])[])[]
    this.#last = last
  }

  at(position: number): T | undefined {
    const { length } = this
    const index = position < 0 ? position + length : position
    if (index === length - 1) return this.#last
    // The tree may still contain truncated items.
    return index < length ? this.#root[index >> 12]?.[(index >> 6) % 64]?.[index % 64] : undefined
  }

  find(key: string): number {
    const { length } = this
    let place = this.#places.get(key)
    if (place === undefined) return length
    if (place < length && keyOf(this.at(place)) === key) return place
    // Only a version that was truncated or changed differently needs a search.
    for (place = length; place-- > 0;) if (keyOf(this.at(place)) === key) return place
    return length
  }

  set(position: number, item: T): Sequence<T> {
    const places = this.#places
    let root: Tree<T> = this.#root
    let last = this.#last
    const end = this.length - 1
    const before = this.at(position) as Keyed | undefined
    const { type, id }: Keyed = item
    if (position > end || before?.type !== type || before?.id !== id) {
      const key = keyOf(item)
      // An older version that continues must not lead newer ones to an older item.
      if (!(places.get(key)! > position)) places.set(key, position)
    }
    if (position < end) root = put(root, 4096, position, item)
    else {
      if (position > end && last) root = put(root, 4096, end, last)
      last = item
    }
    return new Vector(places, Math.max(position, end) + 1, root, last)
  }

  truncate(length: number): Sequence<T> {
    if (length >= this.length) return this
    const last = length ? this.at(length - 1) : undefined
    return new Vector(this.#places, length, this.#root, last)
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let position = 0; position < this.length; position++) yield this.at(position)!
  }
}

function keyOf(item: Keyed = {}): string {
  return (item.type ?? '') + (item.id ?? '')
}

/** Copies the path to a position; `width` is the number of items under one slot of the node. */
function put<T>(node: Tree<T>, width: number, position: number, item: T): Tree<T> {
  const copy = node.slice()
  const slot = Math.floor(position / width)
  const below = (copy[slot] ?? []) as Tree<T>
  copy[slot] = width > 1 ? put(below, width / 64, position % width, item) : item
  return copy
}
