import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeOwnedFolder } from './demo-workspace.ts'

let parent: string
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'millrace-'))
})
afterEach(() => rm(parent, { recursive: true }))

test('folders of an ended process are removed by the next one, and no others', async () => {
  const mine = basename(await makeOwnedFolder(parent))
  const { pid: gone } = spawnSync(process.execPath, ['-e', ''])
  const left = mine.replace(`_${process.pid}_`, `_${gone}_`)
  const elsewhere = left.replace('millrace-demo-', 'millrace-demo-another')
  const kept = [mine, elsewhere, 'millrace-demo-Xa9Bc1', 'something-else']
  for (const name of [left, ...kept.slice(1)]) await mkdir(join(parent, name))
  await writeFile(join(parent, left, 'note.md'), 'left behind')
  const next = basename(await makeOwnedFolder(parent))
  expect((await readdir(parent)).toSorted()).toEqual([...kept, next].toSorted())
})
