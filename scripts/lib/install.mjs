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

/** The installed packages: all, or those that `npm start` needs. */
const scopes = {
  all: {
    stamp: join(root, 'node_modules/.millrace-lock'),
    args: ['--include=dev', '--include=peer'],
  },
  start: {
    stamp: join(root, 'node_modules/.millrace-lock-start'),
    // Tests need development dependencies and optional peers of the library (decisions/021).
    args: ['--omit=dev', '--omit=peer'],
  },
}

function readText(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** Digests the lockfile and the platform, which together determine the content of node_modules. */
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

/** Returns the first manifest whose dependencies are not those of the lockfile. */
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

/**
 * Returns whether npm's own record of node_modules contains the packages of the lockfile, for trees
 * installed by hand.
 */
export function isInstalled(wanted, installed, scope = 'all') {
  return Object.entries(wanted).every(
    ([path, { version, dev, peer, devOptional, optional, link }]) => {
      if (!path.includes('node_modules/') || link || optional) return true
      if (scope === 'start' && (dev || peer || devOptional)) return true
      return installed[path]?.version === version
    },
  )
}

/** Lists the faults of a lockfile: packages of other platforms that it lacks, without which `npm ci` fails, and addresses of a registry. */
export function findLockfileFaults(packages) {
  return Object.entries(packages).flatMap(
    ([path, { optionalDependencies = {}, resolved = '' }]) => [
      ...Object.keys(optionalDependencies)
        .filter(
          (name) => !packages[`node_modules/${name}`] && !packages[`${path}/node_modules/${name}`],
        )
        .map((name) => `${path} has no entry for its optional dependency ${name}`),
      ...(/^\w+:/.test(resolved) ? [`${path} names an address: ${resolved}`] : []),
    ],
  )
}

const readJson = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'))

function isFresh(scope) {
  const stamps = [scopes.all.stamp, scopes[scope].stamp]
  if (stamps.some((stamp) => readText(stamp) === lockStamp())) return true
  const record = readText(join(root, 'node_modules/.package-lock.json'))
  if (record === undefined) return false
  return isInstalled(readJson('package-lock.json').packages, JSON.parse(record).packages, scope)
}

/** Returns the program and first arguments of the npm of this process. */
function npmCommand() {
  const script = process.env.npm_execpath
  return script?.endsWith('.js') ? [process.execPath, script] : ['npm']
}

/** Runs npm; see `run`. */
export function runNpm(args, options) {
  const [program, ...first] = npmCommand()
  return run(program, [...first, ...args], options)
}

async function installScope(scope) {
  const drifted = findDrift(readJson('package-lock.json').packages, readJson)
  if (drifted) {
    throw new Failure(
      `${drifted} asks for other dependencies than package-lock.json holds.\nRun \`npm install\` and commit both.`,
    )
  }
  const { ok, output, seconds } = await withProgress(
    'Installing dependencies (first run, up to a minute) …',
    // Not `npm ci`, which would first delete node_modules. NODE_ENV=production would omit the tools for tests.
    () => runNpm(['install', '--no-save', ...scopes[scope].args], { timeoutMs: TIME_LIMIT_MS }),
  )
  if (!ok) {
    throw new Failure(
      `${excerpt(output)}\n\nInstalling the dependencies failed after ${Math.round(seconds)} s; npm's own words are above.\n` +
        'Check that the registry of `npm config get registry` can be reached and that the disk has 500 MB left, then run the command again.',
    )
  }
  console.log(`Installed in ${Math.round(seconds)} s.`)
}

/** Updates node_modules to the lockfile if it differs: completely, or for `npm start` only. */
export async function install(scope = 'all') {
  if (!isFresh(scope))
    await withLock('install', async () => isFresh(scope) || (await installScope(scope)))
  const { stamp } = scopes[scope]
  if (readText(stamp) !== lockStamp()) writeFileSync(stamp, lockStamp())
}
