import type { Dirent } from 'node:fs'
import { join } from 'node:path'
import { systemCode } from '../paths/explain-failure.ts'
import { readFolder } from '../paths/open-folder.ts'
import type { Workspace } from '../workspace.ts'

/** What a walk found: a file, or a link, which is never followed. */
export interface WalkEntry {
  readonly path: string
  /** From where the walk began, with "/". */
  readonly relative: string
  readonly isLink: boolean
}

/** How a walk goes. */
export interface WalkOptions {
  /** Whether it enters what {@link isSkipped} names. */
  readonly all: boolean
  readonly signal: AbortSignal
  /** Told once if there was more than the walk may look at. */
  readonly onCut: () => void
}

const skippedFolders: ReadonlySet<string> = new Set(['.git', 'node_modules'])

/** Tells whether a folder is left out unless it is asked for. */
export function isSkipped(name: string): boolean {
  return skippedFolders.has(name)
}

/** Goes through all files below a folder, in the order of their names. */
export async function* walk(
  { root, limits }: Workspace,
  start: string,
  { all, signal, onCut }: WalkOptions,
): AsyncGenerator<WalkEntry> {
  let left = limits.maxWalkEntries
  const open = [{ path: start, relative: '' }]
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    signal.throwIfAborted()
    const { entries, isCut } = await readFolder(root, folder.path, left).catch(skipGone)
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

/** A folder that is gone, or not for us, has nothing to show. */
function skipGone(error: unknown): { entries: readonly Dirent[]; isCut: boolean } {
  if (systemCode(error) === undefined) throw error
  return { entries: [], isCut: false }
}
