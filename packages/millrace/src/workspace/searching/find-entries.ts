import type { Workspace } from '../workspace.ts'
import { inGroups } from './in-groups.ts'
import type { PatternWorker } from './pattern-worker.ts'
import { walk, type WalkEntry, type WalkOptions } from './walk.ts'

/** Number of paths matched in one request. */
const GROUP_SIZE = 1000

interface EntrySearch extends WalkOptions {
  readonly start: string
  readonly pattern: number
}

/** Yields the files and links below a folder whose relative path matches a pattern. */
export async function* findEntries(
  workspace: Workspace,
  worker: PatternWorker,
  { start, pattern, ...options }: EntrySearch,
): AsyncGenerator<WalkEntry> {
  for await (const group of inGroups(walk(workspace, start, options), GROUP_SIZE)) {
    const [found = []] = await worker.find({
      pattern,
      // NUL is the only character that cannot occur in a path.
      texts: [group.map(({ relative }) => relative).join('\0')],
      separator: '\0',
      maxPieceChars: Number.MAX_SAFE_INTEGER,
      limit: group.length,
    })
    for (const { piece } of found) {
      const entry = group[piece]
      if (entry !== undefined) yield entry
    }
  }
}
