/** Collects the indices of an event, which assign a chunk to one of several texts. */
export interface IndexReader {
  /** The indices so far, concatenated. */
  readonly indices: string
  /** Announces the value of a field. */
  open(field: string): void
  /** Reads a unit outside a text; returns whether it belongs to an index. */
  take(code: number): boolean
  /** Resets the reader for another event. */
  clear(): void
}

const indexFields = new Set(['content_index', 'index', 'output_index', 'summary_index'])

/** Maximum length of the indices; later ones are ignored. */
const maxIndexChars = 16

const ZERO = 0x30
const NINE = 0x39

/** Creates a reader without indices. */
export function createIndexReader(): IndexReader {
  let indices = ''
  let isOpen = false
  return {
    get indices() {
      return indices
    },
    open(field) {
      isOpen = indexFields.has(field)
      if (isOpen && indices.length < maxIndexChars) indices += '.'
    },
    take(code) {
      isOpen &&= code >= ZERO && code <= NINE
      if (isOpen && indices.length < maxIndexChars) indices += String.fromCharCode(code)
      return isOpen
    },
    clear() {
      indices = ''
      isOpen = false
    },
  }
}
