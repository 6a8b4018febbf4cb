import { MillraceError } from '../../errors/index.ts'

/** A NUL, or half of a pair: SQLite and UTF-8 would make such a name that of another session. */
const unstorable = /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

/** Gives back a name that can be stored as it is, and refuses any other. */
export function checkName(name: string): string {
  if (!unstorable.test(name)) return name
  throw new MillraceError(
    'bad_request',
    'A name has a NUL or half of a surrogate pair in it; use one without.',
  )
}
