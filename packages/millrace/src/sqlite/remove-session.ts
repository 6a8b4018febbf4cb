import { numberAt } from './columns.ts'
import type { Statements } from './connection.ts'
import { toRemovalTexts, toRestTexts, toTrimText } from './removal-texts.ts'
import type { writeTexts } from './statements.ts'
import { storeDamaged } from './store-errors.ts'

/**
 * Removes a session, and then those of its ancestors that were removed before and have no branch any more. A session
 * that has branches loses its name and all that they do not share; `fold` has moved its messages to pages by then. Gives what is left to run
 * before the commit.
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
