const indexFields = new Set(['content_index', 'index', 'output_index', 'summary_index'])

/** Maximum length of the indices; later ones are ignored. */
const maxIndexChars = 16
const ZERO = 0x30
const NINE = 0x39

/** Receives the units of a text, with the byte positions of each. */
type UnitReceiver = (code: number, from: number, to: number) => void

const QUOTE = 0x22
const COLON = 0x3a
const BACKSLASH = 0x5c
const LINE_FEED = 0x0a
const spaces = new Set([0x20, 0x09])

/** The code of an escape's second unit, if it differs from the unit itself. */
const escapes: Readonly<Record<string, number>> = { b: 8, t: 9, n: 10, f: 12, r: 13 }

/** Maximum length of a field name; a longer text is not a name. */
const maxNameChars = 32

/** Returns the receiver of a field's text; `place` consists of the indices before it in its line. */
type FindReceiver = (field: string, indices: string) => UnitReceiver | undefined

/** Creates a reader that looks up a receiver for each field and passes it the unescaped text. */
export function createFieldReader(findReceiver: FindReceiver) {
  let isInText = false
  let name = ''
  const indexReader = createIndexReader()
  /** The token since the last text: none but white space, or a colon. */
  let after: 'text' | 'colon' | undefined
  let take: UnitReceiver | undefined
  /** The units of an escape after its backslash. */
  let escape: string | undefined
  let escapeFrom = 0

  function outside(code: number): void {
    if (spaces.has(code)) return
    if (indexReader.take(code)) return
    isInText = code === QUOTE
    if (isInText) {
      take = after === 'colon' ? findReceiver(name, indexReader.indices) : undefined
      name = ''
    }
    after = code === COLON && after === 'text' ? 'colon' : undefined
    if (after === 'colon') indexReader.open(name)
  }

  function inside(code: number, at: number): void {
    if (code === BACKSLASH) {
      escape = ''
      escapeFrom = at
    } else if (code === QUOTE) {
      isInText = false
      after = 'text'
    } else {
      if (name.length < maxNameChars) name += String.fromCharCode(code)
      take?.(code, at, at + 1)
    }
  }

  function escaped(code: number, at: number, before: string): void {
    escape = before + String.fromCharCode(code)
    const isUnicode = escape.startsWith('u')
    if (isUnicode && escape.length < 5) return
    const unit = isUnicode ? Number.parseInt(escape.slice(1), 16) : (escapes[escape] ?? code)
    escape = undefined
    take?.(unit, escapeFrom, at + 1)
  }

  return {
    feed(code: number, at: number) {
      if (code === LINE_FEED) {
        // JSON has no line end within a text, and every event is a line.
        isInText = false
        escape = undefined
        after = undefined
        indexReader.clear()
      } else if (escape !== undefined) escaped(code, at, escape)
      else if (isInText) inside(code, at)
      else outside(code)
    },
    /** Returns the start of an incomplete escape, or Infinity. */
    pendingFrom: (): number => (escape === undefined || take === undefined ? Infinity : escapeFrom),
  }
}

/** Collects the indices of an event, which assign a chunk to one of several texts. */
function createIndexReader() {
  let indices = ''
  let isOpen = false
  return {
    /** The indices so far, concatenated. */
    get indices() {
      return indices
    },
    open(field: string) {
      isOpen = indexFields.has(field)
      if (isOpen && indices.length < maxIndexChars) indices += '.'
    },
    /** Reads a unit outside a text; returns whether it belongs to an index. */
    take(code: number): boolean {
      isOpen &&= code >= ZERO && code <= NINE
      if (isOpen && indices.length < maxIndexChars) indices += String.fromCharCode(code)
      return isOpen
    },
    /** Resets the reader for another event. */
    clear() {
      indices = ''
      isOpen = false
    },
  }
}
