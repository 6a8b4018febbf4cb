/** Collects the indices in an event, which say to which of several texts a piece belongs. */
export interface PlaceReader {
  /** The indices so far, one after the other. */
  readonly place: string
  /** Says that the value of a field comes next. */
  open(field: string): void
  /** Takes a unit outside a text; gives whether it is a part of an index. */
  take(code: number): boolean
  /** Forgets all: another event begins. */
  clear(): void
}

const indexFields = new Set(['content_index', 'index', 'output_index', 'summary_index'])

/** Of more indices than this holds, the first count. */
const maxPlaceChars = 16

const ZERO = 0x30
const NINE = 0x39

/** Creates a reader that has seen no index. */
export function createPlaceReader(): PlaceReader {
  let place = ''
  let isOpen = false
  return {
    get place() {
      return place
    },
    open(field) {
      isOpen = indexFields.has(field)
      if (isOpen && place.length < maxPlaceChars) place += '.'
    },
    take(code) {
      isOpen &&= code >= ZERO && code <= NINE
      if (isOpen && place.length < maxPlaceChars) place += String.fromCharCode(code)
      return isOpen
    },
    clear() {
      place = ''
      isOpen = false
    },
  }
}
