import { lstat } from 'node:fs/promises'
import { MillraceError } from '../../errors/index.ts'
import { explained } from '../paths/explain-failure.ts'
import { type Place, resolvePlace } from '../paths/resolve-path.ts'
import type { Root } from '../paths/root.ts'

/** Resolves a model's path to a folder. */
export async function resolveFolder(root: Root, path: string): Promise<Place> {
  const place = await resolvePlace(root, path)
  if ((await explained(place.shown, () => lstat(place.path))).isDirectory()) return place
  throw new MillraceError('bad_request', `"${place.shown}" is a file, not a folder.`)
}
