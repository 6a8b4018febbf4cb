import type { Hunk } from './hunk.ts'
import { hunkMismatch } from './hunk-mismatch.ts'
import { createPositionFinder } from './position-finder.ts'
import { joinTextLines, toTextLines, withoutEnd } from './text-lines.ts'

/** A patched text. */
export interface PatchedText {
  readonly text: string
  /** Notes about hunks that matched at another line. */
  readonly notes: readonly string[]
}

/** Applies all hunks of a patch. Throws for the first one that does not match and quotes the text there. */
export function applyHunks(text: string, hunks: readonly Hunk[]): PatchedText {
  const { lines, lineEnd, endsWithoutNewline } = toTextLines(text)
  const bare = lines.map(withoutEnd)
  const finder = createPositionFinder(bare)
  const result: string[] = []
  const notes: string[] = []
  let taken = 0
  let shift = 0
  for (const hunk of hunks) {
    const asked = hunk.start === undefined ? undefined : hunk.start - 1
    const expected = asked === undefined ? undefined : asked + shift
    const place = finder.find({ old: hunk.old, least: taken, expected })
    if (typeof place !== 'number') throw hunkMismatch({ hunk, total: hunks.length, bare, ...place })
    for (; taken < place; taken++) result.push(lines[taken] ?? '')
    for (const { kind, text: added } of hunk.steps) {
      if (kind === 'add') result.push(added + lineEnd)
      if (kind === 'keep') result.push(lines[taken] ?? '')
      if (kind !== 'add') taken += 1
    }
    shift = asked === undefined ? shift : place - asked
    if (shift !== 0) notes.push(`hunk ${hunk.number} fitted at line ${place + 1}`)
  }
  const isAtEnd = taken === lines.length
  for (; taken < lines.length; taken++) result.push(lines[taken] ?? '')
  const endsBare = (isAtEnd ? hunks.at(-1)?.endsWithoutNewline : undefined) ?? endsWithoutNewline
  return { text: joinTextLines(result, lineEnd, endsBare), notes }
}
