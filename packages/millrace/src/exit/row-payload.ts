import { type Extras, type Payload, traitsOf, typeOfEvent } from '../envelope/index.ts'
import { MillraceError } from '../errors/index.ts'
import type { JsonValue } from '../json/index.ts'

/** An event that is encoded by its row. */
export interface RowEvent {
  readonly type: string
  readonly agent: string
  readonly text?: string
  readonly cost?: unknown
  /** Further fields of the frame. */
  readonly fields?: Extras
}

/** Encodes an event by its row: members are fields besides the text, or members of the JSON in `delta`. */
export function toRowPayload(event: RowEvent): Payload {
  const type = typeOfEvent(event.type)
  const row = traitsOf(type)
  if (row === undefined)
    throw new MillraceError('bad_request', `The catalogue has no row for the event ${event.type}.`)
  const values = event as unknown as Readonly<Record<string, JsonValue | undefined>>
  const fields: Record<string, JsonValue> = {}
  for (const [member, source] of Object.entries(row.members ?? {})) {
    const value = values[member]
    if (value !== undefined) fields[typeof source === 'string' ? source : source[0]] = value
  }
  const { agent } = event
  if (row.delta === 'json') return { type, agent, payload: JSON.stringify(fields) }
  const text = values[row.textMember ?? 'text']
  return {
    type,
    agent,
    payload: typeof text === 'string' ? text : '',
    extras: { ...fields, ...event.fields },
  }
}
