import { constants, type Dirent } from 'node:fs'
import { opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { descriptorPath, openInside } from './open-inside.ts'
import type { Root } from './root.ts'

/** A folder that is held open, so that its names mean the same however its path changes. */
export interface Folder {
  readonly path: string
  /** The path by which a name in this folder is used. */
  at(name: string): string
  close(): Promise<void>
}

/** What was found in a folder. */
export interface FolderContent {
  /** Sorted by name. */
  readonly entries: readonly Dirent[]
  /** Whether there are more than were read. */
  readonly isCut: boolean
}

/** Opens a folder whose links are resolved; `via` is the way to it that a folder above holds open. */
export async function openFolder(root: Root, path: string, via = path): Promise<Folder> {
  const handle = await openInside(root, via, constants.O_RDONLY | constants.O_DIRECTORY)
  const base = root.usesDescriptors ? descriptorPath(handle) : path
  return { path, at: (name) => join(base, name), close: () => handle.close() }
}

/** Reads the names in a folder, at most `maxEntries` of them. */
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
