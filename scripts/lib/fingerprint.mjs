import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root } from './root.mjs'

const SKIPPED = new Set(['node_modules', 'dist'])

function filesUnder(path) {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) =>
    SKIPPED.has(entry.name) ? [] : filesUnder(join(path, entry.name)),
  )
}

/** Digests the names and contents of files and folders (tests aside), given relative to the repository. */
export function fingerprint(paths, salt = '') {
  const hash = createHash('sha256').update(salt)
  const files = paths.flatMap((path) => filesUnder(join(root, path)))
  for (const file of files.filter((name) => !/\.test\.\w+$/.test(name)).sort()) {
    hash.update(`\n${relative(root, file)}\n`).update(readFileSync(file))
  }
  return hash.digest('hex')
}
