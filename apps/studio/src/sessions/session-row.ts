import { readField, readNumber, readString } from '../json/index.ts'

/** A session as a server lists it; one with only files has nothing but an id. */
export interface SessionRow {
  readonly id: string
  readonly title: string | undefined
  readonly agent: string | undefined
  readonly status: string | undefined
  /** Stop reason of the last run; older servers do not send it. */
  readonly stopReason: string | undefined
  /** In milliseconds since the epoch. */
  readonly updatedAt: number | undefined
  readonly runs: number | undefined
}

/** A page of a server's list. */
export interface SessionPage {
  readonly rows: readonly SessionRow[]
  /** Number of all sessions. */
  readonly total: number
}

/** Decodes the response of `GET /agent/sessions`; undefined for other responses. */
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
