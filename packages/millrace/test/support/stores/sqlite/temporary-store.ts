import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

/** Returns paths for stores in a folder that is removed after the tests of the file. */
export function temporaryPaths(): () => string {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-sqlite-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  let count = 0
  return () => join(folder, `${++count}`, 'store.db')
}
