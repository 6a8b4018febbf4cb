import {
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Failure } from './failure.mjs'
import { fingerprint } from './fingerprint.mjs'
import { lockStamp } from './install.mjs'
import { withLock } from './lock.mjs'
import { root } from './root.mjs'
import { runTool, withProgress } from './run.mjs'

const library = join(root, 'packages/millrace')
const SCRATCH = /^\.build-/

const libraryInputs = [
  'packages/millrace/src',
  'packages/millrace/package.json',
  'packages/millrace/tsconfig.build.json',
  'scripts/lib/source-aliases.ts',
  'tsconfig.base.json',
  'tsconfig.sources.json',
]

const targets = [
  {
    name: 'the library',
    output: join(library, 'dist'),
    landmark: 'index.js',
    inputs: [...libraryInputs, 'spec/vectors'],
    produce: (scratch) =>
      runTool('tsc', ['-p', 'packages/millrace/tsconfig.build.json', '--outDir', scratch]),
    finish: (scratch) => {
      makeCommandsExecutable(scratch)
      copyTemplates(scratch)
      copyVectors(scratch)
    },
  },
  {
    name: 'Studio',
    output: join(library, 'studio'),
    landmark: 'index.html',
    inputs: [...libraryInputs, 'apps/studio'],
    produce: (scratch) =>
      runTool('vite', ['build', '--logLevel', 'warn', '--outDir', scratch, '--emptyOutDir'], {
        cwd: join(root, 'apps/studio'),
      }),
  },
]

function makeCommandsExecutable(folder) {
  const { bin } = JSON.parse(readFileSync(join(library, 'package.json'), 'utf8'))
  for (const target of Object.values(bin)) {
    const path = join(folder, target.replace('./dist/', ''))
    if (!existsSync(path) || !readFileSync(path, 'utf8').startsWith('#!/usr/bin/env node\n')) {
      throw new Failure(`The source of ${target} must exist and begin with #!/usr/bin/env node.`)
    }
    chmodSync(path, 0o755)
  }
}

/** Takes along what `millrace init` writes, which is no code of the library. */
function copyTemplates(folder) {
  const templates = 'cli/init/template'
  cpSync(join(library, 'src', templates), join(folder, templates), { recursive: true })
}

/** Takes along the cases of the protocol, which `millrace conformance` runs against other implementations. */
function copyVectors(folder) {
  cpSync(join(root, 'spec/vectors'), join(folder, 'cli/conformance/vectors'), { recursive: true })
}

/** Puts the commands where npx looks; npm could not, because they were not built when it installed. */
function linkCommands() {
  const { bin } = JSON.parse(readFileSync(join(library, 'package.json'), 'utf8'))
  for (const [name, target] of Object.entries(bin)) {
    const link = join(root, 'node_modules/.bin', name)
    if (process.platform !== 'win32' && !existsSync(link)) {
      rmSync(link, { force: true })
      symlinkSync(join('../millrace', target), link)
    }
  }
}

const stampFile = ({ output }) =>
  join(root, `node_modules/.millrace-built-${output.split(/[\\/]/).at(-1)}`)

function isFresh(target, stamp) {
  if (!existsSync(join(target.output, target.landmark)) || !existsSync(stampFile(target)))
    return false
  return readFileSync(stampFile(target), 'utf8') === stamp
}

function removeScratch() {
  for (const name of readdirSync(library).filter((entry) => SCRATCH.test(entry))) {
    rmSync(join(library, name), { recursive: true, force: true })
  }
}

/** Puts a finished folder in place of the old one, so that no reader sees half a build. */
function replaceFolder(output, scratch) {
  const old = `${scratch}-old`
  if (existsSync(output)) renameSync(output, old)
  renameSync(scratch, output)
  rmSync(old, { recursive: true, force: true })
}

async function buildTarget(target, stamp) {
  // Beside the real folder, so that it can be put in place by renaming it.
  const scratch = join(library, `.build-${process.pid}`)
  removeScratch()
  try {
    const { ok, output, seconds } = await withProgress(`Building ${target.name} …`, () =>
      target.produce(scratch),
    )
    if (!ok)
      throw new Failure(
        `${output.trimEnd()}\n\nBuilding ${target.name} failed; the compiler's words are above.`,
      )
    target.finish?.(scratch)
    replaceFolder(target.output, scratch)
    writeFileSync(stampFile(target), stamp)
    console.log(`Built ${target.name} in ${seconds.toFixed(1)} s.`)
  } finally {
    removeScratch()
  }
}

/** Builds the library and Studio where their sources differ from those last built. */
export async function build() {
  for (const target of targets) {
    const stamp = fingerprint(target.inputs, lockStamp())
    if (isFresh(target, stamp)) continue
    await withLock(
      'build',
      async () => isFresh(target, stamp) || (await buildTarget(target, stamp)),
    )
  }
  linkCommands()
}

let outcome

/** Builds at most once in this process; a build that failed fails again without being repeated. */
export function buildOnce() {
  outcome ??= build()
  return outcome
}
