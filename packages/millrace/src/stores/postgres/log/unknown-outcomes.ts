import { createHash } from 'node:crypto'
import type { Append } from '../../port/index.ts'
import type { Job } from './encode-group.ts'
import type { Tokens } from './tokens.ts'

/** Appends with unknown outcome, by their content. */
interface UnknownOutcomes {
  /** Returns the token of an append. An append with unknown outcome that is repeated gets its earlier token. */
  toToken(asked: Append): string
  add(job: Job): void
  /** Forgets an append, because its outcome is known. */
  settle(asked: Append): void
}

/** Maximum number of remembered appends. The oldest are dropped first. */
const MAX_UNKNOWN_OUTCOMES = 1_000

/** Creates an empty set of appends. */
export function createUnknownOutcomes(tokens: Tokens): UnknownOutcomes {
  const known = new Map<string, string>()
  return {
    toToken: (asked) => (known.size > 0 ? known.get(digest(asked)) : undefined) ?? tokens.next(),
    add: ({ asked, token }) => {
      known.set(digest(asked), token)
      const [oldest] = known.keys()
      if (known.size > MAX_UNKNOWN_OUTCOMES && oldest !== undefined) known.delete(oldest)
    },
    settle: (asked) => {
      if (known.size > 0) known.delete(digest(asked))
    },
  }
}

function digest({ lines, ...rest }: Append): string {
  const hash = createHash('sha1')
  hash.update(JSON.stringify([rest, lines.map((line) => line.length)]))
  for (const line of lines) hash.update(line)
  return hash.digest('hex')
}
