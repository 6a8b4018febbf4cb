import { numberAt } from '../file/columns.ts'
import type { Statements } from '../file/connection.ts'
import { toRemovalTexts, toRestTexts, toTrimText } from '../log/removal-texts.ts'
import type { writeTexts } from '../file/statements.ts'
import { storeDamaged } from '../file/store-errors.ts'

/**
 * Removes a session, and then each ancestor that was already removed and has no branches left. A session with branches is hidden instead:
 * it loses its name and all data after the last shared frame. `fold` must move its frames to pages, because hidden sessions cannot be in
 * the journal. Returns the statements to execute before the commit.
 */
export function removeSession(
  statements: Statements<typeof writeTexts>,
  removed: number,
  fold: () => void,
): readonly string[] {
  const texts: string[] = []
  for (let number = removed; ;) {
    const row = statements.findRelatives.get(number)
    if (row === undefined) throw storeDamaged('the parent of a branch is missing')
    const [parent, lastShared] = row
    if (number !== removed && numberAt(row, 2) > 0) return [...texts, toTrimText(number)]
    if (typeof lastShared === 'number') {
      if (number === removed) fold()
      statements.hideSession.run(number)
      return [...texts, ...toRestTexts(number, lastShared)]
    }
    statements.removeSession.run(number)
    texts.push(...toRemovalTexts(number))
    if (typeof parent !== 'number') return texts
    number = parent
  }
}
