import type { LiteralSyntax } from './notation.ts'

/** Converts a whole literal to JSON text, with its numbers as written; returns undefined if it is invalid. */
export function toLiteralJson(
  text: string,
  syntax: LiteralSyntax,
  maxDepth: number,
): string | undefined {
  const reader = new LiteralReader(text, syntax, maxDepth)
  const json = reader.readValue(0)
  return json !== undefined && reader.isAtEnd ? json : undefined
}

const SPACE = /\s*/y

/** Each method moves past the text that it reads, and returns undefined where the text is not a literal. */
class LiteralReader {
  readonly #text: string
  readonly #syntax: LiteralSyntax
  readonly #maxDepth: number
  #index = 0
  /** The items that were read last ended with a comma. */
  #endsInComma = false

  constructor(text: string, syntax: LiteralSyntax, maxDepth: number) {
    this.#text = text
    this.#syntax = syntax
    this.#maxDepth = maxDepth
  }

  get isAtEnd(): boolean {
    this.#match(SPACE)
    return this.#index === this.#text.length
  }

  readValue(depth: number): string | undefined {
    if (depth > this.#maxDepth) return undefined
    this.#match(SPACE)
    const char = this.#text.charAt(this.#index)
    if (char === '[') return this.#readList(']', depth)
    if (char === '{') return this.#readBraces(depth)
    if (char === '(' && this.#syntax.hasTuples === true) return this.#readTuple(depth)
    return this.#readString() ?? this.#readWord()
  }

  /** Reads adjacent strings as one. */
  #readString(): string | undefined {
    let value: string | undefined
    for (;;) {
      const next = this.#syntax.readString(this.#text, this.#index)
      if (next === undefined) return value === undefined ? undefined : JSON.stringify(value)
      value = (value ?? '') + next.value
      this.#index = next.end
      this.#match(SPACE)
    }
  }

  #readWord(): string | undefined {
    const word = this.#match(this.#syntax.word)
    return word === '' ? undefined : this.#syntax.toJson(word.trim())
  }

  #readList(closer: string, depth: number): string | undefined {
    const items = this.#readItems(closer, () => this.readValue(depth + 1))
    return items === undefined ? undefined : `[${items.join(',')}]`
  }

  /** One value in parentheses without a comma is that value. */
  #readTuple(depth: number): string | undefined {
    const items = this.#readItems(')', () => this.readValue(depth + 1))
    if (items === undefined) return undefined
    return items.length === 1 && !this.#endsInComma ? items[0] : `[${items.join(',')}]`
  }

  #readBraces(depth: number): string | undefined {
    let hasKeys: boolean | undefined
    const items = this.#readItems('}', () => {
      const key = this.#readKey(depth)
      if (key === undefined) return undefined
      const isPair = this.#take(':')
      hasKeys ??= isPair
      if (isPair !== hasKeys) return undefined
      if (!isPair) return this.#syntax.hasTuples === true ? key : undefined
      const value = this.readValue(depth + 1)
      return value === undefined ? undefined : `${toKey(key)}:${value}`
    })
    if (items === undefined) return undefined
    return hasKeys === false ? `[${items.join(',')}]` : `{${items.join(',')}}`
  }

  #readKey(depth: number): string | undefined {
    const { key } = this.#syntax
    if (key === undefined) return this.readValue(depth + 1)
    this.#match(SPACE)
    return this.#readString() ?? toQuoted(this.#match(key).trim())
  }

  /** Reads the items between brackets; a comma may follow the last. */
  #readItems(closer: string, readItem: () => string | undefined): string[] | undefined {
    this.#index++
    const items: string[] = []
    let hasComma = false
    while (!this.#take(closer)) {
      const item = items.length === 0 || hasComma ? readItem() : undefined
      if (item === undefined) return undefined
      items.push(item)
      hasComma = this.#take(',')
    }
    this.#endsInComma = hasComma
    return items
  }

  #take(char: string): boolean {
    this.#match(SPACE)
    if (this.#text.charAt(this.#index) !== char) return false
    this.#index++
    return true
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#index
    const [found = ''] = pattern.exec(this.#text) ?? []
    this.#index += found.length
    return found
  }
}

function toQuoted(word: string): string | undefined {
  return word === '' ? undefined : JSON.stringify(word)
}

/** JSON keys must be strings: any other key becomes its own text. */
function toKey(json: string): string {
  return json.startsWith('"') ? json : JSON.stringify(json)
}
