import type { JsonObject } from '../../json/index.ts'
import type { catalog } from './catalog.ts'

type Rows = typeof catalog

/** The rows of the catalogue by the names of their events; those of older types have no events of their own. */
export type EventRows = {
  readonly [Type in keyof Rows as NameIn<Rows[Type], Type>]: Rows[Type]
}

type NameIn<Row, Type> = Row extends { readonly origin: 'older' }
  ? never
  : Row extends { readonly event: infer Name extends string }
    ? Name
    : Type

/** The types of members that are no strings. */
interface Kinds {
  readonly number: number
  readonly boolean: boolean
  readonly object: JsonObject | null
}

type ValueOf<Source> = Source extends readonly [string, infer Kind extends keyof Kinds]
  ? Kinds[Kind]
  : string

type NamedMembers<Row> = Row extends { readonly members: infer Sources }
  ? { readonly [Name in keyof Sources]: ValueOf<Sources[Name]> }
  : unknown

type TextMember<Row> = Row extends { readonly delta: 'text' }
  ? Row extends { readonly textMember: infer Name extends string }
    ? Name
    : 'text'
  : never

/** The members of an event as its row names them. */
export type MembersOf<Event extends keyof EventRows> = NamedMembers<EventRows[Event]> & {
  readonly [Name in TextMember<EventRows[Event]>]: string
}
