import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runNpm } from './install.mjs'
import { withLock } from './lock.mjs'
import { root } from './root.mjs'
import { excerpt, withProgress } from './run.mjs'

const TIME_LIMIT_MS = 600_000
const folder = join(root, 'examples/deploy')
const stamp = join(folder, 'node_modules/.millrace-lock')

function lockDigest() {
  const hash = createHash('sha256').update(readFileSync(join(folder, 'package-lock.json')))
  return hash.update(`${process.platform} ${process.arch}`).digest('hex')
}

const isFresh = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === lockDigest()

/**
 * Installs the runtimes of examples/deploy, which only their tests need. If that fails, returns them as missing, in the form of
 * `findSystemPackages`.
 */
export async function installRuntimes() {
  return isFresh() ? [] : withLock('runtimes', async () => (isFresh() ? [] : installNow()))
}

async function installNow() {
  const { ok, output } = await withProgress(
    'Installing Bun, Deno, Express, Next.js and workerd for their tests (first run, 700 MB) …',
    // The scripts of Bun and Deno only copy their programs, which the tests find without them.
    () => runNpm(['ci', '--ignore-scripts'], { cwd: folder, timeoutMs: TIME_LIMIT_MS }),
  )
  if (ok) {
    writeFileSync(stamp, lockDigest())
    return []
  }
  console.log(excerpt(output))
  const leftOut = 'the tests in other runtimes'
  const reason = '`npm ci` in examples/deploy failed; its output is above'
  return [{ package: 'runtimes', leftOut, reason }]
}
