/** The kind of a markup token; `empty` is a self-closing tag, `literal` a CDATA section. */
export type XmlTokenKind = 'open' | 'empty' | 'close' | 'literal' | 'comment'

const kinds: readonly XmlTokenKind[] = ['open', 'empty', 'close', 'literal', 'comment']

/** Numbers stored for each token: its kind, its start and end, and its tag. */
const COLUMNS = 4
const FIRST_ROOM = 64

/** The tag number of a token that is not a tag. */
const NO_TAG = -1

/**
 * The markup tokens of a text, in order; everything between two of them is text. They are stored as rows of
 * numbers: in a text full of tags, objects would take most of the time, mainly for garbage collection.
 */
export class XmlTokens {
  length = 0
  #rows = new Int32Array(FIRST_ROOM * COLUMNS)
  /** Tag names as first written, and the numbers of tags by their names in lower case. */
  readonly #names: string[] = []
  readonly #tags = new Map<string, number>()
  /** Keys that differ from the tag's name as first written. */
  readonly #keys = new Map<number, string>()

  /** Adds a token; a tag has a name, and another key if an attribute sets one. */
  add(kind: XmlTokenKind, start: number, end: number, name?: string, key = name): void {
    const row = this.length * COLUMNS
    if (row === this.#rows.length) this.#grow()
    const tag = name === undefined ? NO_TAG : this.#toTag(name)
    this.#rows[row] = kinds.indexOf(kind)
    this.#rows[row + 1] = start
    this.#rows[row + 2] = end
    this.#rows[row + 3] = tag
    if (key !== undefined && key !== this.#names[tag]) this.#keys.set(this.length, key)
    this.length++
  }

  kindOf(index: number): XmlTokenKind {
    return kinds[this.#rows[index * COLUMNS] ?? 0] ?? 'open'
  }

  startOf(index: number): number {
    return this.#rows[index * COLUMNS + 1] ?? 0
  }

  endOf(index: number): number {
    return this.#rows[index * COLUMNS + 2] ?? 0
  }

  /** Returns the number of the tag, the same for a name in any case; -1 for a token that is not a tag. */
  tagOf(index: number): number {
    return this.#rows[index * COLUMNS + 3] ?? NO_TAG
  }

  /** Returns the `name` attribute, otherwise the tag's name as written; empty for a token that is not a tag. */
  keyOf(index: number): string {
    return this.#keys.get(index) ?? this.#names[this.tagOf(index)] ?? ''
  }

  /** Returns the number of a tag by its name in lower case; -1 if there is none. */
  tagNamed(name: string): number {
    return this.#tags.get(name) ?? NO_TAG
  }

  /** The number of different tags. */
  get tagCount(): number {
    return this.#names.length
  }

  #toTag(name: string): number {
    const lower = name.toLowerCase()
    const known = this.#tags.get(lower)
    if (known !== undefined) return known
    this.#tags.set(lower, this.#names.length)
    return this.#names.push(name) - 1
  }

  #grow(): void {
    const rows = new Int32Array(this.#rows.length * 2)
    rows.set(this.#rows)
    this.#rows = rows
  }
}
