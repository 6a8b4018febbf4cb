import { OWN_COLLECTION } from '../../port/index.ts'

/** Returns the statement that deletes pages before the earliest frame of a session, unless a branch shares them. */
export function toTrimText(number: number): string {
  const earliest = `SELECT earliest FROM sessions WHERE number = ${number}`
  return `DELETE FROM pages WHERE key > (${number} << 32) AND key < ((${number} << 32) | (${earliest}))
    AND NOT EXISTS (SELECT 1 FROM sessions WHERE parent = ${number})`
}

/** Returns the statements that delete rows of a session which SQLite does not delete with the session's own row. */
export function toRemovalTexts(number: number): readonly string[] {
  return [
    dropPages(number, `${number} << 32`),
    `DELETE FROM parts WHERE session = ${number}`,
    `DELETE FROM inbox WHERE session = ${number}`,
  ]
}

/** Returns the statements that delete rows of a removed session which its branches do not share; `frame` is the last shared frame. */
export function toRestTexts(number: number, frame: number): readonly string[] {
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
