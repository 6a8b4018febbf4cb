import type { Dirent } from 'node:fs'
import { join } from 'node:path'
import { systemCode } from '../paths/explain-failures.ts'
import { readFolder } from '../paths/open-inside.ts'
import type { Workspace } from '../workspace.ts'
import type { PatternWorker } from './pattern-worker.ts'

/** An entry found by a walk: a file, or a link, which is never followed. */
export interface WalkEntry {
  readonly path: string
  /** Relative to the start of the walk, with "/". */
  readonly relative: string
  readonly isLink: boolean
}

interface WalkOptions {
  /** Whether the walk enters folders of {@link isSkipped}. */
  readonly all: boolean
  readonly signal: AbortSignal
  /** Called once if the limit of entries is exceeded. */
  readonly onCut: () => void
}

const skippedFolders: ReadonlySet<string> = new Set(['.git', 'node_modules'])

/** Checks for a folder that is skipped by default. */
export function isSkipped(name: string): boolean {
  return skippedFolders.has(name)
}

/** Yields all files below a folder, sorted by name. */
async function* walk(
  { root, limits }: Workspace,
  start: string,
  { all, signal, onCut }: WalkOptions,
): AsyncGenerator<WalkEntry> {
  let left = limits.maxWalkEntries
  const open = [{ path: start, relative: '' }]
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    signal.throwIfAborted()
    const { entries, isCut } = await readFolder(root, folder.path, left).catch(ignoreMissing)
    left -= entries.length
    const below: typeof open = []
    for (const entry of entries) {
      const place = {
        path: join(folder.path, entry.name),
        relative: folder.relative === '' ? entry.name : `${folder.relative}/${entry.name}`,
      }
      if (entry.isFile() || entry.isSymbolicLink()) {
        yield { ...place, isLink: entry.isSymbolicLink() }
      } else if (entry.isDirectory() && (all || !isSkipped(entry.name))) below.push(place)
    }
    if (isCut || (left === 0 && open.length + below.length > 0)) return onCut()
    for (const place of below.reverse()) open.push(place)
  }
}

/** Ignores a folder that was removed or is not accessible. */
function ignoreMissing(error: unknown): { entries: readonly Dirent[]; isCut: boolean } {
  if (systemCode(error) === undefined) throw error
  return { entries: [], isCut: false }
}

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

/** Collects values into groups of a size; the last may be smaller. */
export async function* inGroups<Value>(
  values: AsyncIterable<Value> | Iterable<Value>,
  size: number,
): AsyncGenerator<Value[]> {
  let group: Value[] = []
  for await (const value of values) {
    if (group.push(value) < size) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}
