import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createProcessOwner } from 'millrace/node'

const prefix = 'millrace-demo-'

/** The owner's name, with characters that file names allow, and the suffix of `mkdtemp`. */
const ownedName = /^millrace-demo-(.+)_(\d+)_(@?\d+)-\w{6}$/

/** Creates a temporary folder named after this process, and removes those of processes that were killed. */
export async function makeOwnedFolder(parent: string = tmpdir()): Promise<string> {
  const { node, isGone } = createProcessOwner()
  await sweep(parent, isGone)
  const mark = node.replaceAll(':', '_').replaceAll('/', '-')
  return mkdtemp(join(parent, `${prefix}${mark}-`))
}

async function sweep(parent: string, isGone: (owner: string) => boolean): Promise<void> {
  const entries = await readdir(parent, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    const owner = entry.isDirectory() ? decodeOwner(entry.name) : undefined
    if (owner === undefined || !isGone(owner)) continue
    // A folder of another user stays.
    await rm(join(parent, entry.name), { recursive: true, force: true }).catch(() => {})
  }
}

function decodeOwner(name: string): string | undefined {
  const found = ownedName.exec(name)
  return found === null ? undefined : found.slice(1).join(':')
}
