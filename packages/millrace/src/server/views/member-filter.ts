/** Takes members out of JSON that comes in pieces; what stays of a piece is never longer than the piece. */
export interface MemberFilter {
  /** Takes the next piece; gives what stays of those that are decided, in order: perhaps none, perhaps several. */
  feed(piece: string): readonly string[]
  /** Gives what stays of the pieces that are left; a member whose name was cut is taken out. */
  finish(): readonly string[]
}

/** What becomes of the text at hand; a member is undecided until its name is known. */
type Fate = 'kept' | 'dropped' | 'undecided'

/** What stays of a piece for certain, and what follows that and may. */
interface Piece {
  kept: string
  undecided: string
}

/** A change at a character: before it with an offset of 0, after it with 1. */
interface Turn {
  readonly offset: 0 | 1
  readonly change: () => void
}

/** The level of a text that begins like neither an object nor an array: what is in it cannot be told. */
const UNKNOWN = -1

/** Takes members out of an object, or out of each object of an array; the rest stays as it was written. */
export function removeMembers(json: string, names: ReadonlySet<string>): string {
  const filter = createMemberFilter(names)
  return [...filter.feed(json), ...filter.finish()].join('')
}

/** Builds a filter for the members of one object, or of the objects in one array; any other text is dropped. */
export function createMemberFilter(names: ReadonlySet<string>): MemberFilter {
  return new Scanner(names)
}

class Scanner implements MemberFilter {
  readonly #names: ReadonlySet<string>
  readonly #pieces: Piece[] = []
  #fate: Fate = 'kept'
  #depth = 0
  /** The depth of the members that are looked at; 0 before the first bracket. */
  #level = 0
  #isInObject = false
  #isInString = false
  #isEscaped = false
  /** The name of a member so far, its escapes as they are. */
  #name: string | undefined
  #hasMembers = false

  constructor(names: ReadonlySet<string>) {
    this.#names = names
  }

  feed(piece: string): readonly string[] {
    this.#pieces.push({ kept: '', undecided: '' })
    let from = 0
    for (let at = 0; at < piece.length; at++) {
      const turn = this.#look(piece[at] ?? '')
      if (turn === undefined) continue
      const end = at + turn.offset
      this.#put(piece.slice(from, end))
      from = end
      turn.change()
    }
    this.#put(piece.slice(from))
    const open = this.#pieces.findIndex(({ undecided }) => undecided !== '')
    return this.#release(open === -1 ? this.#pieces.length : open)
  }

  finish(): readonly string[] {
    return this.#release(this.#pieces.length)
  }

  #release(count: number): readonly string[] {
    return this.#pieces.splice(0, count).map(({ kept }) => kept)
  }

  #put(text: string): void {
    const piece = this.#pieces.at(-1)
    if (piece === undefined || this.#fate === 'dropped') return
    if (this.#fate === 'kept') piece.kept += text
    else piece.undecided += text
  }

  /** Looks at a character; gives what changes at it, if anything does. */
  #look(character: string): Turn | undefined {
    if (this.#isInString) return this.#lookInString(character)
    const isMember = this.#depth === this.#level && this.#isInObject
    if (character === '"') {
      this.#isInString = true
      if (this.#fate === 'undecided') this.#name = ''
    } else if (character === '{' || character === '[') return this.#open(character)
    else if (character === '}' || character === ']') {
      this.#depth--
      if (isMember) return { offset: 0, change: () => this.#closeObject() }
    } else if (character === ',' && isMember) {
      return { offset: 0, change: () => (this.#fate = 'undecided') }
    }
    return this.#level === 0 && character.trim() !== '' ? this.#giveUp() : undefined
  }

  #lookInString(character: string): Turn | undefined {
    const isEnd = character === '"' && !this.#isEscaped
    this.#isEscaped = character === '\\' && !this.#isEscaped
    if (isEnd) this.#isInString = false
    else if (this.#name !== undefined) this.#name += character
    const isName = isEnd && this.#name !== undefined
    return isName ? { offset: 1, change: () => this.#endName() } : undefined
  }

  #giveUp(): undefined {
    this.#level = UNKNOWN
    this.#fate = 'dropped'
  }

  #open(bracket: string): Turn | undefined {
    this.#depth++
    if (this.#level === 0) this.#level = bracket === '[' ? 2 : 1
    if (this.#depth !== this.#level) return undefined
    this.#isInObject = bracket === '{'
    return this.#isInObject ? { offset: 1, change: () => this.#openObject() } : undefined
  }

  #openObject(): void {
    this.#fate = 'undecided'
    this.#hasMembers = false
  }

  #closeObject(): void {
    if (this.#fate === 'undecided') this.#decide('kept')
    this.#fate = 'kept'
    this.#isInObject = false
  }

  #endName(): void {
    const isHidden = isNameIn(this.#names, this.#name ?? '')
    this.#decide(isHidden ? 'dropped' : 'kept')
    this.#hasMembers ||= !isHidden
    this.#name = undefined
  }

  #decide(fate: Fate): void {
    this.#fate = fate
    // The comma stands before a member, and is not wanted where none was kept before it.
    let isAfterNone = !this.#hasMembers
    for (const piece of this.#pieces) {
      const { undecided } = piece
      const text = isAfterNone && undecided.startsWith(',') ? undecided.slice(1) : undecided
      if (undecided !== '') isAfterNone = false
      if (fate === 'kept') piece.kept += text
      piece.undecided = ''
    }
  }
}

/** A name that cannot be read is taken for one of those that are looked for. */
function isNameIn(names: ReadonlySet<string>, escaped: string): boolean {
  try {
    return names.has(JSON.parse(`"${escaped}"`) as string)
  } catch {
    return true
  }
}
