import { badRequest, type MillraceError } from '../../errors/index.ts'

interface PositionSearch {
  readonly old: readonly string[]
  /** The first usable line, from 0. */
  readonly least: number
  /** The expected line, from 0; undefined if unknown. */
  readonly expected: number | undefined
}

/** The reason why no position matches, and the closest one. */
export interface NoMatch {
  readonly reason: 'absent' | 'ambiguous' | 'unanchored'
  /** The position where most of the first lines match. */
  readonly nearest: number
  readonly fitting: number
}

/** Maximum number of line comparisons of one patch. More mean a malicious patch or wrong line numbers. */
const MOST_COMPARISONS = 20_000_000

/** Compares a line of the text, or null after its end, with a line of the patch. */
type Comparison = (line: string | null, wanted: string) => boolean

const isSame: Comparison = (line, wanted) => line === wanted

/** Ignores trailing white space, which models lose. */
const isSameButForTrailingSpace: Comparison = (line, wanted) => line?.trimEnd() === wanted.trimEnd()

/** Finds the positions of hunks in one text. */
export function createPositionFinder(lines: readonly string[]) {
  let compared = 0
  const countFitting = (old: readonly string[], place: number, isEqual: Comparison): number => {
    let count = 0
    while (count < old.length && isEqual(lines[place + count] ?? null, old[count] ?? '')) count += 1
    compared += count + 1
    if (compared > MOST_COMPARISONS) throw tooMuch()
    return count
  }
  const findFitting = function* (search: PositionSearch, isEqual: Comparison): Generator<number> {
    const { old, least, expected = least } = search
    for (const place of byDistance(expected, least, lines.length - old.length)) {
      if (countFitting(old, place, isEqual) === old.length) yield place
    }
  }
  const findNearest = ({ old, least, expected = least }: PositionSearch): NoMatch => {
    let nearest = Math.max(least, Math.min(expected, lines.length - 1))
    let fitting = 0
    for (const place of byDistance(expected, least, lines.length - 1)) {
      const count = countFitting(old, place, isSame)
      if (count > fitting) [nearest, fitting] = [place, count]
    }
    return { reason: 'absent', nearest, fitting }
  }
  return {
    find(search: PositionSearch): number | NoMatch {
      const { old, least, expected } = search
      if (old.length === 0) return positionOfAddition(search, lines.length)
      for (const isEqual of [isSame, isSameButForTrailingSpace]) {
        const [first, second] = take(findFitting(search, isEqual), expected === undefined ? 2 : 1)
        if (second !== undefined) return { reason: 'ambiguous', nearest: least, fitting: 0 }
        if (first !== undefined) return first
      }
      return findNearest(search)
    },
  }
}

/** Returns the position of a hunk that only adds lines: the given line, limited to the text. */
function positionOfAddition(
  { least, expected }: PositionSearch,
  lineCount: number,
): number | NoMatch {
  if (expected !== undefined) return Math.max(least, Math.min(expected, lineCount))
  return lineCount === 0 ? 0 : { reason: 'unanchored', nearest: least, fitting: 0 }
}

/** Yields all numbers of a range, closest to `start` first. */
function* byDistance(start: number, least: number, most: number): Generator<number> {
  const middle = Math.max(least, Math.min(start, most))
  for (let distance = 0; middle - distance >= least || middle + distance <= most; distance++) {
    if (middle - distance >= least && middle - distance <= most) yield middle - distance
    if (distance > 0 && middle + distance <= most) yield middle + distance
  }
}

function take<Value>(values: Iterable<Value>, count: number): Value[] {
  const taken: Value[] = []
  for (const value of values) if (taken.push(value) === count) break
  return taken
}

function tooMuch(): MillraceError {
  return badRequest(
    'The patch takes too long to match; give each hunk its line number and distinctive lines.',
  )
}
