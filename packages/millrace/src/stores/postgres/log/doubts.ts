import { createHash } from 'node:crypto'
import type { Append } from '../../port/index.ts'
import type { Job } from './encode-group.ts'
import type { Tokens } from './tokens.ts'

/** Appends of which nobody knows whether they were stored, by what they append. */
export interface Doubts {
  /** The token of an append: for one that is in doubt and tried again, the one that may have been stored. */
  toToken(asked: Append): string
  add(job: Job): void
  /** Its outcome is known. */
  settle(asked: Append): void
}

/** So many are remembered; the oldest make room. */
const MAX_DOUBTS = 1_000

/** Builds an empty set of doubts. */
export function createDoubts(tokens: Tokens): Doubts {
  const doubts = new Map<string, string>()
  return {
    toToken: (asked) => (doubts.size > 0 ? doubts.get(digest(asked)) : undefined) ?? tokens.next(),
    add: ({ asked, token }) => {
      doubts.set(digest(asked), token)
      const [oldest] = doubts.keys()
      if (doubts.size > MAX_DOUBTS && oldest !== undefined) doubts.delete(oldest)
    },
    settle: (asked) => {
      if (doubts.size > 0) doubts.delete(digest(asked))
    },
  }
}

function digest({ lines, ...rest }: Append): string {
  const hash = createHash('sha1')
  hash.update(JSON.stringify([rest, lines.map((line) => line.length)]))
  for (const line of lines) hash.update(line)
  return hash.digest('hex')
}
