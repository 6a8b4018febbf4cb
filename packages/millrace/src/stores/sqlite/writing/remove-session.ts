import { numberAt } from '../file/columns.ts'
import type { Statements } from '../file/connection.ts'
import type { writeTexts } from '../file/statements.ts'
import { storeDamaged } from '../file/store-errors.ts'
import { OWN_COLLECTION } from '../../port/index.ts'

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

/** Returns the statement that deletes pages before the earliest frame of a session, unless a branch shares them. */
export function toTrimText(number: number): string {
  const earliest = `SELECT earliest FROM sessions WHERE number = ${number}`
  return `DELETE FROM pages WHERE key > (${number} << 32) AND key < ((${number} << 32) | (${earliest}))
    AND NOT EXISTS (SELECT 1 FROM sessions WHERE parent = ${number})`
}

/** Returns the statements that delete rows of a session which SQLite does not delete with the session's own row. */
function toRemovalTexts(number: number): readonly string[] {
  return [
    dropPages(number, `${number} << 32`),
    `DELETE FROM parts WHERE session = ${number}`,
    `DELETE FROM inbox WHERE session = ${number}`,
  ]
}

/** Returns the statements that delete rows of a removed session which its branches do not share; `frame` is the last shared frame. */
function toRestTexts(number: number, frame: number): readonly string[] {
  const isOwn = `substr(collection, 1, ${OWN_COLLECTION.length}) = '${OWN_COLLECTION}'`
  // The page with the last shared frame may hold later frames too.
  const lastPage = `SELECT min(key) FROM pages WHERE key >= ((${number} << 32) | ${frame})`
  return [
    dropPages(number, frame === 0 ? `${number} << 32` : lastPage),
    `DELETE FROM parts WHERE session = ${number} AND (frame > ${frame} OR ${isOwn})`,
    `DELETE FROM files WHERE session = ${number} AND tail > ${frame}`,
    ...['heads', 'inbox', 'claims'].map(
      (table) => `DELETE FROM ${table} WHERE session = ${number}`,
    ),
  ]
}

function dropPages(number: number, after: string): string {
  return `DELETE FROM pages WHERE key > (${after}) AND key <= ((${number} << 32) | 4294967295)`
}
