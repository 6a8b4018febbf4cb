import { readField, readNumber, readString } from '../json/index.ts'

/** A session as a server lists it; one to which only files were sent has nothing but its id. */
export interface SessionRow {
  readonly id: string
  readonly title: string | undefined
  readonly agent: string | undefined
  readonly status: string | undefined
  /** How its last run ended; older servers do not say. */
  readonly stopReason: string | undefined
  /** In milliseconds since 1970. */
  readonly updatedAt: number | undefined
  readonly runs: number | undefined
}

/** A part of a server's list. */
export interface SessionPage {
  readonly rows: readonly SessionRow[]
  /** How many there are in all. */
  readonly total: number
}

/** Reads what `GET /agent/sessions` answers; undefined if it is something else. */
export function decodeSessionPage(value: unknown): SessionPage | undefined {
  const list = readField(value, 'sessions')
  if (!Array.isArray(list)) return undefined
  const rows = (list as readonly unknown[]).flatMap(decodeRow)
  return { rows, total: readNumber(value, 'total') ?? rows.length }
}

function decodeRow(value: unknown): SessionRow[] {
  const id = readString(value, 'agent_uuid')
  if (id === undefined) return []
  const updatedAt = Date.parse(readString(value, 'updated_at') ?? '')
  return [
    {
      id,
      title: readString(value, 'title'),
      agent: readString(value, 'agent_type'),
      status: readString(value, 'status'),
      stopReason: readString(value, 'stop_reason'),
      updatedAt: Number.isNaN(updatedAt) ? undefined : updatedAt,
      runs: readNumber(value, 'total_runs'),
    },
  ]
}
