import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { bundle, listEntries } from './bundle.mjs'
import { Failure } from './failure.mjs'
import { fingerprint } from './fingerprint.mjs'
import { lockStamp } from './install.mjs'
import { withLock } from './lock.mjs'
import { root } from './root.mjs'
import { runTool, withProgress } from './run.mjs'

const library = join(root, 'packages/millrace')
const tools = join(root, 'packages/tools')
const SCRATCH = /^\.build-/

const librarySources = ['packages/millrace/src', 'packages/millrace/package.json']
const toolSources = ['packages/tools/src', 'packages/tools/package.json']
const settings = [
  'tsconfig.base.json',
  'tsconfig.sources.json',
  'scripts/lib/bundle.mjs',
  'scripts/lib/chunks.mjs',
  'scripts/lib/source-aliases.ts',
]

/** The command of the tools, bundled like an entry of `exports`. */
const toolsCommand = { name: 'main', source: 'src/cli/main.ts' }

/** The parts of a clone that are needed to run, in build order. */
const programs = [
  {
    name: 'the library',
    output: join(library, 'dist'),
    landmark: 'index.js',
    inputs: [...librarySources, ...settings],
    produce: (scratch) => bundle(library, listEntries(library), scratch),
  },
  {
    name: 'the tools',
    output: join(tools, 'dist'),
    landmark: 'main.js',
    inputs: [...toolSources, ...settings],
    produce: (scratch) => bundle(tools, [toolsCommand, ...listEntries(tools)], scratch),
    finish: (scratch) => chmodSync(join(scratch, 'main.js'), 0o755),
  },
  {
    name: 'the conformance cases',
    output: join(tools, 'vectors'),
    landmark: 'sse.jsonl',
    inputs: ['spec/vectors'],
    produce: async (scratch) => {
      cpSync(join(root, 'spec/vectors'), scratch, { recursive: true })
      return { ok: true, output: '', seconds: 0 }
    },
  },
  {
    name: 'Studio',
    output: join(tools, 'studio'),
    landmark: 'index.html',
    inputs: [...librarySources, ...toolSources, ...settings, 'apps/studio'],
    produce: (scratch) =>
      runTool('vite', ['build', '--logLevel', 'warn', '--outDir', scratch, '--emptyOutDir'], {
        cwd: join(root, 'apps/studio'),
      }),
  },
]

/**
 * The parts that only users of the packages and the checks need. The declarations of the tools name
 * those of the library.
 */
const declarations = [
  {
    name: 'the declarations of the library',
    output: join(library, 'types'),
    landmark: 'public/index.d.ts',
    inputs: [...librarySources, 'packages/millrace/tsconfig.build.json', 'tsconfig.base.json'],
    produce: (scratch) =>
      runTool('tsc', ['-p', 'packages/millrace/tsconfig.build.json', '--outDir', scratch]),
  },
  {
    name: 'the declarations of the tools',
    output: join(tools, 'types'),
    landmark: 'public/emulator.d.ts',
    inputs: [
      ...librarySources,
      ...toolSources,
      'packages/tools/tsconfig.build.json',
      'tsconfig.base.json',
    ],
    produce: (scratch) =>
      runTool('tsc', ['-p', 'packages/tools/tsconfig.build.json', '--outDir', scratch]),
  },
]

/** Links the commands where npx finds them; npm could not, because they were not built when it installed. */
function linkCommands() {
  for (const folder of [library, tools]) {
    const { name: pack, bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    for (const [name, target] of Object.entries(bin)) {
      const link = join(root, 'node_modules/.bin', name)
      if (process.platform === 'win32' || existsSync(link)) continue
      mkdirSync(dirname(link), { recursive: true })
      rmSync(link, { force: true })
      symlinkSync(join('..', pack, target), link)
    }
  }
}

const stampFile = ({ output }) =>
  join(root, `node_modules/.millrace-built-${output.split(/[\\/]/).slice(-2).join('-')}`)

function isFresh(target, stamp) {
  if (!existsSync(join(target.output, target.landmark)) || !existsSync(stampFile(target)))
    return false
  return readFileSync(stampFile(target), 'utf8') === stamp
}

function removeScratch(folder) {
  for (const name of readdirSync(folder).filter((entry) => SCRATCH.test(entry))) {
    rmSync(join(folder, name), { recursive: true, force: true })
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
  // Beside the real folder, so that a rename replaces it.
  const folder = dirname(target.output)
  const scratch = join(folder, `.build-${process.pid}`)
  removeScratch(folder)
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
    removeScratch(folder)
  }
}

/** Builds outdated parts: the programs, and with `types` the declarations. */
export async function build({ types = true } = {}) {
  for (const target of types ? [...programs, ...declarations] : programs) {
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
