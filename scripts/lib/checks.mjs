import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildOnce } from './build.mjs'
import { Failure } from './failure.mjs'
import { runNpm } from './install.mjs'
import { findPackingFaults } from './packing.mjs'
import { root } from './root.mjs'
import { excerpt, run, runTool } from './run.mjs'

const typed = [
  'packages/millrace',
  'packages/tools',
  'apps/studio',
  'bench',
  'faults',
  'soak',
  'examples',
].filter((folder) => existsSync(join(root, folder, 'tsconfig.json')))

async function buildQuietly() {
  try {
    await buildOnce()
    return { ok: true, output: '' }
  } catch (error) {
    if (error instanceof Failure) return { ok: false, output: error.message }
    throw error
  }
}

/** Packs a package like `npm publish`. */
async function pack(name) {
  const { ok } = await buildQuietly()
  if (!ok) return { ok, output: 'There is nothing to pack: the build failed.' }
  const folder = mkdtempSync(join(tmpdir(), 'millrace-pack-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  // Built above; a build for each check could also find the sources changed meanwhile.
  const options = ['--ignore-scripts', '--pack-destination', folder]
  const packed = await runNpm(['pack', '--workspace', name, ...options])
  return packed.ok ? { ok: true, archive: join(folder, readdirSync(folder)[0]) } : packed
}

const packing = new Map()

/** Runs a check on a packed package, which is packed once for all checks. */
async function withPackage(name, work) {
  if (!packing.has(name)) packing.set(name, pack(name))
  const packed = await packing.get(name)
  return packed.ok ? work(packed.archive) : packed
}

const libraries = ['packages/millrace', 'packages/tools']

/** Runs a check on the built declarations. */
async function withDeclarations(look) {
  const { ok } = await buildQuietly()
  if (!ok) return { ok, output: 'There is nothing to report on: the build failed.' }
  // Its parser is installed when checks run, not when this file is loaded.
  return look(await import('./api-report.mjs'))
}

const checkReference = () =>
  withDeclarations((report) =>
    report.checkReference(
      libraries.map((folder) => join(root, folder)),
      join(root, 'docs/reference.md'),
    ),
  )

async function checkContents(name, archive) {
  const listed = await run('tar', ['-tzf', archive])
  if (!listed.ok) return listed
  const faults = findPackingFaults(name, listed.output.split(/\r?\n/).filter(Boolean))
  return { ok: faults.length === 0, output: faults.join('\n') }
}

/** Checks a package in its published form. */
const packageChecks = (name) => [
  {
    name: `contents of ${name}`,
    run: () => withPackage(name, (archive) => checkContents(name, archive)),
  },
  {
    name: `manifest of ${name} (publint)`,
    run: () => withPackage(name, (archive) => runTool('publint', ['run', archive, '--strict'])),
  },
  {
    name: `types of ${name} (attw)`,
    run: () =>
      withPackage(name, (archive) =>
        runTool('attw', [archive, '--profile', 'esm-only', '--no-definitely-typed', '--no-emoji']),
      ),
  },
]

/** All checks of `npm run check`; the packed library is checked in its published form. */
const checks = [
  { name: 'format', run: () => runTool('oxfmt', ['--check']) },
  { name: 'lint', run: () => runTool('oxlint', ['--format=stylish']) },
  { name: 'build', run: buildQuietly },
  ...libraries.map((folder) => ({
    name: `public interface of ${folder}`,
    run: () => withDeclarations(({ checkApiReport }) => checkApiReport(join(root, folder))),
  })),
  { name: 'reference of the public interface', run: checkReference },
  ...typed.map((folder) => ({
    name: `types in ${folder}`,
    run: () => runTool('tsc', ['-p', folder, '--noEmit']),
  })),
  { name: 'unused code', run: () => runTool('knip', ['--no-progress']) },
  ...['millrace', 'millrace-tools'].flatMap(packageChecks),
]

/** Runs a check, prints a line for it and, if it failed, its output, and returns the failure. */
async function runCheck({ name, run: look }) {
  const startedAt = Date.now()
  // A check that throws must not end the others, which would continue to write into later output.
  const { ok, output } = await look().catch((error) => ({ ok: false, output: error.stack }))
  console.log(`${ok ? '✓' : '✗'} ${name} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`)
  if (ok) return []
  console.log(`${output.trimEnd()}\n`)
  return [`${name}\n${excerpt(output)}`]
}

/** Runs the checks, as many at once as there are cores, and counts. */
export async function runChecks() {
  const waiting = [...checks]
  const failures = []
  const work = async () => {
    for (let check = waiting.shift(); check; check = waiting.shift()) {
      failures.push(...(await runCheck(check)))
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  return { passed: checks.length - failures.length, failed: failures.length, failures }
}
