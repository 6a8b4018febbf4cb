import { constants, type Dirent } from 'node:fs'
import { opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { descriptorPath, openInside } from './open-inside.ts'
import type { Root } from './root.ts'

/** An open folder. Names in it resolve correctly even if its path changes. */
export interface Folder {
  readonly path: string
  /** Returns the path for a name in this folder. */
  at(name: string): string
  close(): Promise<void>
}

/** The entries of a folder. */
export interface FolderContent {
  /** Sorted by name. */
  readonly entries: readonly Dirent[]
  /** Whether there are more entries than were read. */
  readonly isCut: boolean
}

/** Opens a folder by a path without links; `via` is the path through an open parent folder. */
export async function openFolder(root: Root, path: string, via = path): Promise<Folder> {
  const handle = await openInside(root, via, constants.O_RDONLY | constants.O_DIRECTORY)
  const base = root.usesDescriptors ? descriptorPath(handle) : path
  return { path, at: (name) => join(base, name), close: () => handle.close() }
}

/** Reads at most `maxEntries` entries of a folder. */
export async function readFolder(
  root: Root,
  path: string,
  maxEntries: number,
): Promise<FolderContent> {
  const folder = await openFolder(root, path)
  try {
    const entries: Dirent[] = []
    for await (const entry of await opendir(folder.at('.'))) {
      if (entries.length === maxEntries) return { entries: entries.sort(byName), isCut: true }
      entries.push(entry)
    }
    return { entries: entries.sort(byName), isCut: false }
  } finally {
    await folder.close()
  }
}

function byName(a: Dirent, b: Dirent): number {
  return a.name < b.name ? -1 : Number(a.name > b.name)
}
