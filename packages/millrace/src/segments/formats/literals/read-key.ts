import { code, isNamePart } from '../../characters.ts'
import type { Reader, Reading } from '../../engine/reader.ts'
import type { CompiledNotation } from './notation.ts'

/**
 * Looks ahead at a key and the assignment after it.
 * city = 'Oslo'
 * ^-----^
 * Returns undefined if there is none, with the position where that was found.
 */
export function* readKey(reader: Reader, notation: CompiledNotation): Reading<string | undefined> {
  const assign = notation.assign.charCodeAt(0)
  yield* reader.skipSpace()
  const key = (yield* readQuotedKey(reader, notation)) ?? (yield* readWord(reader))
  if (key === '' || (yield* reader.skipSpace()) !== assign) return undefined
  reader.position++
  // A comparison, as in `[count(n==1)]`, is not a key.
  return (yield* reader.peek()) === assign ? undefined : key
}

/** Reads letters, digits and other characters of names from the position. */
export function* readWord(reader: Reader): Reading<string> {
  const start = reader.position
  const limit = start + reader.limits.maxOpener
  for (;;) {
    const unit = yield* reader.peek()
    if (!isNamePart(unit) || unit === code.colon || reader.position >= limit) break
    reader.position++
  }
  return reader.input.slice(start, reader.position)
}

function* readQuotedKey(reader: Reader, notation: CompiledNotation): Reading<string | undefined> {
  if (notation.hasQuotedKeys !== true) return undefined
  const opener = yield* reader.match(notation.openers)
  const quote = opener === undefined ? undefined : notation.quotes.get(opener)
  if (quote === undefined) return undefined
  const start = reader.matchEnd
  const limit = start + reader.limits.maxOpener
  reader.position = start
  while ((yield* reader.match(quote.end.markers)) === undefined) {
    if ((yield* reader.peek()) === -1 || reader.position >= limit) return ''
    reader.position++
  }
  const key = reader.input.slice(start, reader.position)
  reader.position = reader.matchEnd
  return key
}
