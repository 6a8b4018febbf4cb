import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from './failure.mjs'
import { withLock } from './lock.mjs'
import { root } from './root.mjs'
import { run, tail, withProgress } from './run.mjs'

const TIME_LIMIT_MS = 600_000
const lockfile = join(root, 'package-lock.json')
const stampFile = join(root, 'node_modules/.millrace-lock')

function readText(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** Digests the lockfile and the platform, which together decide what belongs in node_modules. */
export function lockStamp() {
  const hash = createHash('sha256').update(readFileSync(lockfile))
  return hash.update(`${process.platform} ${process.arch}`).digest('hex')
}

/** Says whether npm's own record of node_modules holds every package of the lockfile, for trees installed by hand. */
export function isInstalled(wanted, installed) {
  return Object.entries(wanted).every(([path, { version, optional, link }]) => {
    if (!path.startsWith('node_modules/') || link || optional) return true
    return installed[path]?.version === version
  })
}

function isFresh() {
  if (readText(stampFile) === lockStamp()) return true
  const record = readText(join(root, 'node_modules/.package-lock.json'))
  if (record === undefined) return false
  return isInstalled(
    JSON.parse(readFileSync(lockfile, 'utf8')).packages,
    JSON.parse(record).packages,
  )
}

/** Gives the program and first arguments that run the npm this was started with. */
function npmCommand() {
  const script = process.env.npm_execpath
  return script?.endsWith('.js') ? [process.execPath, script] : ['npm']
}

/** Runs npm; see `run`. */
export function runNpm(args, options) {
  const [program, ...first] = npmCommand()
  return run(program, [...first, ...args], options)
}

async function installAll() {
  const { ok, output, seconds } = await withProgress(
    'Installing dependencies (first run, about a minute) …',
    // NODE_ENV=production would leave out the tools that build and test.
    () => runNpm(['ci', '--include=dev'], { timeoutMs: TIME_LIMIT_MS }),
  )
  if (!ok) {
    throw new Failure(
      `${tail(output)}\n\nInstalling the dependencies failed after ${Math.round(seconds)} s; npm's own words are above.\n` +
        'Check that the registry of `npm config get registry` can be reached and that the disk has 500 MB left, then run the command again.',
    )
  }
  console.log(`Installed in ${Math.round(seconds)} s.`)
}

/** Makes node_modules what the lockfile says, when it is not. */
export async function install() {
  if (!isFresh()) await withLock('install', async () => isFresh() || (await installAll()))
  if (readText(stampFile) !== lockStamp()) writeFileSync(stampFile, lockStamp())
}
