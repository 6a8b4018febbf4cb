import type { SessionRow } from './session-row.ts'
import { toStatusLabel } from './status-label.ts'

/** Returns the rows that contain every word of a text in title, agent, status or id. */
export function selectRows(rows: readonly SessionRow[], text: string): readonly SessionRow[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return rows
  return rows.filter((row) => {
    const { title = '', agent = '', id } = row
    const content = `${title} ${agent} ${toStatusLabel(row).label} ${id}`.toLowerCase()
    return words.every((word) => content.includes(word))
  })
}
