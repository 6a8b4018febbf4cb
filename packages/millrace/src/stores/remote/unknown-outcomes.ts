import { createHash } from 'node:crypto'
import type { Append } from '../port/index.ts'

/** Maximum number of remembered appends. The oldest are dropped first. */
const MAX_UNKNOWN_OUTCOMES = 1_000

/** Remembers appends with unknown outcome by their content, with the tokens that identify them if they are sent again. */
export function createUnknownOutcomes(nextToken: () => string) {
  const known = new Map<string, string>()
  return {
    /** Returns the token of an append. A repeated append with unknown outcome gets its earlier token. */
    toToken: (asked: Append): string =>
      (known.size > 0 ? known.get(digest(asked)) : undefined) ?? nextToken(),
    add: (asked: Append, token: string) => {
      known.set(digest(asked), token)
      const [oldest] = known.keys()
      if (known.size > MAX_UNKNOWN_OUTCOMES && oldest !== undefined) known.delete(oldest)
    },
    /** Forgets an append, because its outcome is known. */
    settle: (asked: Append) => {
      if (known.size > 0) known.delete(digest(asked))
    },
  }
}

/** Covers every field, so that two different appends have different digests. */
function digest({ lines, ...rest }: Append): string {
  const hash = createHash('sha1')
  hash.update(JSON.stringify([rest, lines.map((line) => line.length)]))
  for (const line of lines) hash.update(line)
  return hash.digest('hex')
}
