/** The decision on the current text. A member is undecided until its name is known. */
type Verdict = 'kept' | 'dropped' | 'undecided'

/** The text of a chunk that is kept, and the text after it that is undecided. */
interface ChunkText {
  kept: string
  undecided: string
}

/** A change of state before (offset 0) or after (offset 1) a character. */
interface Transition {
  readonly offset: 0 | 1
  readonly change: () => void
}

/** The level of text that begins like neither an object nor an array, whose content is unknown. */
const UNKNOWN = -1

/** Removes members from an object, or from each object of an array. The rest stays unchanged. */
export function removeMembers(json: string, names: ReadonlySet<string>): string {
  const filter = new MemberFilter(names)
  return [...filter.feed(json), ...filter.finish()].join('')
}

/** Removes members from JSON that arrives in chunks. The rest of a chunk is never longer than the chunk. */
export class MemberFilter {
  readonly #names: ReadonlySet<string>
  readonly #chunks: ChunkText[] = []
  #verdict: Verdict = 'kept'
  #depth = 0
  /** The depth of the inspected members; 0 before the first bracket. */
  #level = 0
  #isInObject = false
  #isInString = false
  #isEscaped = false
  /** The name of the current member so far, with its escapes. */
  #name: string | undefined
  #hasMembers = false

  constructor(names: ReadonlySet<string>) {
    this.#names = names
  }

  /** Takes the next chunk; returns the rest of all decided chunks, in order. */
  feed(chunk: string): readonly string[] {
    this.#chunks.push({ kept: '', undecided: '' })
    let from = 0
    for (let at = 0; at < chunk.length; at++) {
      const transition = this.#scan(chunk[at] ?? '')
      if (transition === undefined) continue
      const end = at + transition.offset
      this.#put(chunk.slice(from, end))
      from = end
      transition.change()
    }
    this.#put(chunk.slice(from))
    const open = this.#chunks.findIndex(({ undecided }) => undecided !== '')
    return this.#release(open === -1 ? this.#chunks.length : open)
  }

  /** Returns the rest of the remaining chunks. A member with an incomplete name is removed. */
  finish(): readonly string[] {
    return this.#release(this.#chunks.length)
  }

  #release(count: number): readonly string[] {
    return this.#chunks.splice(0, count).map(({ kept }) => kept)
  }

  #put(text: string): void {
    const chunk = this.#chunks.at(-1)
    if (chunk === undefined || this.#verdict === 'dropped') return
    if (this.#verdict === 'kept') chunk.kept += text
    else chunk.undecided += text
  }

  /** Scans a character; returns the change of state at it, if any. */
  #scan(character: string): Transition | undefined {
    if (this.#isInString) return this.#scanString(character)
    const isMember = this.#depth === this.#level && this.#isInObject
    if (character === '"') {
      this.#isInString = true
      if (this.#verdict === 'undecided') this.#name = ''
    } else if (character === '{' || character === '[') return this.#open(character)
    else if (character === '}' || character === ']') {
      this.#depth--
      if (isMember) return { offset: 0, change: () => this.#closeObject() }
    } else if (character === ',' && isMember) {
      return { offset: 0, change: () => (this.#verdict = 'undecided') }
    }
    return this.#level === 0 && character.trim() !== '' ? this.#dropRest() : undefined
  }

  #scanString(character: string): Transition | undefined {
    const isEnd = character === '"' && !this.#isEscaped
    this.#isEscaped = character === '\\' && !this.#isEscaped
    if (isEnd) this.#isInString = false
    else if (this.#name !== undefined) this.#name += character
    const isName = isEnd && this.#name !== undefined
    return isName ? { offset: 1, change: () => this.#endName() } : undefined
  }

  #dropRest(): undefined {
    this.#level = UNKNOWN
    this.#verdict = 'dropped'
  }

  #open(bracket: string): Transition | undefined {
    this.#depth++
    if (this.#level === 0) this.#level = bracket === '[' ? 2 : 1
    if (this.#depth !== this.#level) return undefined
    this.#isInObject = bracket === '{'
    return this.#isInObject ? { offset: 1, change: () => this.#openObject() } : undefined
  }

  #openObject(): void {
    this.#verdict = 'undecided'
    this.#hasMembers = false
  }

  #closeObject(): void {
    if (this.#verdict === 'undecided') this.#decide('kept')
    this.#verdict = 'kept'
    this.#isInObject = false
  }

  #endName(): void {
    const isHidden = isNameIn(this.#names, this.#name ?? '')
    this.#decide(isHidden ? 'dropped' : 'kept')
    this.#hasMembers ||= !isHidden
    this.#name = undefined
  }

  #decide(verdict: Verdict): void {
    this.#verdict = verdict
    // The comma before a member is removed if no member before it was kept.
    let isAfterNone = !this.#hasMembers
    for (const chunk of this.#chunks) {
      const { undecided } = chunk
      const text = isAfterNone && undecided.startsWith(',') ? undecided.slice(1) : undecided
      if (undecided !== '') isAfterNone = false
      if (verdict === 'kept') chunk.kept += text
      chunk.undecided = ''
    }
  }
}

/** Checks whether a name is listed. A name that cannot be parsed counts as listed. */
function isNameIn(names: ReadonlySet<string>, escaped: string): boolean {
  try {
    return names.has(JSON.parse(`"${escaped}"`) as string)
  } catch {
    return true
  }
}
