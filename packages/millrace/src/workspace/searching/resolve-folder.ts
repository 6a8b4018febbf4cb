import { lstat } from 'node:fs/promises'
import { badRequest } from '../../errors/index.ts'
import { explainFailures } from '../paths/explain-failures.ts'
import { type ResolvedPath, resolvePath } from '../paths/resolve-path.ts'
import type { Root } from '../paths/root.ts'

/** Resolves a model's path to a folder. */
export async function resolveFolder(root: Root, path: string): Promise<ResolvedPath> {
  const place = await resolvePath(root, path)
  if ((await explainFailures(place.shown, () => lstat(place.path))).isDirectory()) return place
  throw badRequest(`"${place.shown}" is a file, not a folder.`)
}
