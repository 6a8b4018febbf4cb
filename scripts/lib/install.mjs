import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { Failure } from './failure.mjs'
import { withLock } from './lock.mjs'
import { root } from './root.mjs'
import { excerpt, run, withProgress } from './run.mjs'

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

const dependencyKinds = [
  'dependencies',
  'devDependencies',
  'peerDependencies',
  'optionalDependencies',
]

/** Gives the first manifest whose dependencies are not those that the lockfile was made from. */
export function findDrift(packages, readManifest) {
  const folders = Object.keys(packages).filter((path) => !path.includes('node_modules/'))
  const drifted = folders.find((folder) => {
    const manifest = readManifest(join(folder, 'package.json'))
    return !dependencyKinds.every((kind) =>
      isDeepStrictEqual(manifest[kind], packages[folder][kind]),
    )
  })
  return drifted === undefined ? undefined : join(drifted, 'package.json')
}

/** Says whether npm's own record of node_modules holds every package of the lockfile, for trees installed by hand. */
export function isInstalled(wanted, installed) {
  return Object.entries(wanted).every(([path, { version, optional, link }]) => {
    if (!path.includes('node_modules/') || link || optional) return true
    return installed[path]?.version === version
  })
}

const readJson = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'))

function isFresh() {
  if (readText(stampFile) === lockStamp()) return true
  const record = readText(join(root, 'node_modules/.package-lock.json'))
  if (record === undefined) return false
  return isInstalled(readJson('package-lock.json').packages, JSON.parse(record).packages)
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
  const drifted = findDrift(readJson('package-lock.json').packages, readJson)
  if (drifted) {
    throw new Failure(
      `${drifted} asks for other dependencies than package-lock.json holds.\nRun \`npm install\` and commit both.`,
    )
  }
  const { ok, output, seconds } = await withProgress(
    'Installing dependencies (first run, about a minute) …',
    // Not `npm ci`: it refuses a lockfile without the native binaries of every other platform, which not every registry serves.
    // NODE_ENV=production would leave out the tools that build and test.
    () => runNpm(['install', '--no-save', '--include=dev'], { timeoutMs: TIME_LIMIT_MS }),
  )
  if (!ok) {
    throw new Failure(
      `${excerpt(output)}\n\nInstalling the dependencies failed after ${Math.round(seconds)} s; npm's own words are above.\n` +
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
