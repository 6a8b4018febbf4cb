import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** A Node version of servers under test. */
export interface NodeProgram {
  readonly version: string
  readonly path: string
}

/** The oldest and the newest release that the library supports. */
const CLAIMED_VERSIONS = ['20.19.0', '26.10.0']

const cache = fileURLToPath(new URL('../../node_modules/.cache/millrace-nodes/', import.meta.url))

/** The Node that runs this process. */
export const runningNode: NodeProgram = {
  version: process.versions.node,
  path: process.execPath,
}

/** Returns the oldest Node, the running one and the newest; downloads those that are not in the cache. */
export async function findNodes(): Promise<readonly NodeProgram[]> {
  const claimed: NodeProgram[] = []
  for (const version of CLAIMED_VERSIONS) claimed.push(await findNode(version))
  const isClaimed = CLAIMED_VERSIONS.includes(runningNode.version)
  return isClaimed ? claimed : [...claimed.slice(0, 1), runningNode, ...claimed.slice(1)]
}

/** npm has a package with the program for each platform. */
async function findNode(version: string): Promise<NodeProgram> {
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  const folder = join(cache, version)
  const path = join(folder, 'node_modules', name, 'bin', 'node')
  if (!existsSync(path)) {
    await mkdir(folder, { recursive: true })
    const flags = ['--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund']
    const args = ['install', '--prefix', folder, ...flags, `${name}@${version}`]
    await promisify(execFile)('npm', args)
  }
  return { version, path }
}
