import { createPlaceReader } from './place-reader.ts'

/** Takes the units of a text, with the places where each stands in the bytes. */
export type TakeUnit = (code: number, from: number, to: number) => void

/** Finds the texts of fields in JSON, without reading the JSON as a whole. */
export interface FieldReader {
  feed(code: number, at: number): void
  /** Where an escape begins that is not over, or Infinity. */
  pendingFrom(): number
}

const QUOTE = 0x22
const COLON = 0x3a
const BACKSLASH = 0x5c
const LINE_FEED = 0x0a
const spaces = new Set([0x20, 0x09])

/** What the second unit of an escape stands for, where that is not itself. */
const escapes: Readonly<Record<string, number>> = { b: 8, t: 9, n: 10, f: 12, r: 13 }

/** Names of fields are short; a text is no name. */
const maxNameChars = 32

/** Says who takes the text of a field; `place` is made of the indices that stand before it in its line. */
export type TakerOf = (field: string, place: string) => TakeUnit | undefined

/** Creates a reader that asks for each field who takes its text, and hands that over with escapes undone. */
export function createFieldReader(takerOf: TakerOf): FieldReader {
  let isInText = false
  let name = ''
  const places = createPlaceReader()
  /** What has come since a text: nothing but space, or a colon. */
  let after: 'text' | 'colon' | undefined
  let take: TakeUnit | undefined
  /** What has come of an escape behind its backslash. */
  let escape: string | undefined
  let escapeFrom = 0

  function outside(code: number): void {
    if (spaces.has(code)) return
    if (places.take(code)) return
    isInText = code === QUOTE
    if (isInText) {
      take = after === 'colon' ? takerOf(name, places.place) : undefined
      name = ''
    }
    after = code === COLON && after === 'text' ? 'colon' : undefined
    if (after === 'colon') places.open(name)
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
    feed(code, at) {
      if (code === LINE_FEED) {
        // JSON has no line end within a text, and every event is a line.
        isInText = false
        escape = undefined
        after = undefined
        places.clear()
      } else if (escape !== undefined) escaped(code, at, escape)
      else if (isInText) inside(code, at)
      else outside(code)
    },
    pendingFrom: () => (escape === undefined || take === undefined ? Infinity : escapeFrom),
  }
}
