import { badRequest } from '../../errors/index.ts'

/** A NUL or a lone surrogate. SQLite or UTF-8 would change the name, possibly to that of another session. */
const unstorable = /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

/** Returns a name that can be stored; throws for any other. */
export function checkName(name: string): string {
  if (!unstorable.test(name)) return name
  throw badRequest('A name contains a NUL or a lone surrogate. Choose a name without them.')
}
