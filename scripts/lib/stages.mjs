import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { buildOnce } from './build.mjs'
import { runChecks } from './checks.mjs'
import { installRuntimes } from './install-runtimes.mjs'
import { root } from './root.mjs'
import { excerpt, run } from './run.mjs'
import { runSizes } from './sizes.mjs'
import { runProject } from './vitest.mjs'

const MINUTE_MS = 60_000
const isNightly = process.env.MILLRACE_NIGHTLY === '1'
const timeoutMs = (isNightly ? 120 : 8) * MINUTE_MS

/** Runs a script of ours whose last line counts passed and failed cases, and which marks each failure with a ✗. */
async function runCounted(args) {
  const { ok, output } = await run(process.execPath, args, { show: true, timeoutMs })
  const counted = /^(\d+) passed, (\d+) failed\s*$/.exec(output.trimEnd().split('\n').at(-1))
  if (!counted) return { passed: 0, failed: 1, failures: [excerpt(output)] }
  const [passed, failed] = counted.slice(1).map(Number)
  const failures = [...output.matchAll(/^✗ *(.*)/gm)].map(([, text]) => text)
  return { passed, failed: ok ? failed : Math.max(failed, 1), failures }
}

function runVectors() {
  const folder = join(root, 'spec/vectors')
  const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'))
  const paths = files.map((name) => join(folder, name))
  return runCounted(['packages/tools/dist/main.js', 'conformance', ...paths])
}

const runSoak = () => runCounted(['soak/run.mjs', '--short'])

const runFaults = () => runCounted(['faults/run.mjs', ...(isNightly ? [] : ['--short'])])

const proxies = ['nginx', 'caddy', 'openssl']

/**
 * The stages of `npm test`, in order. `built` needs a build; `requires` a program of the system, or
 * only `uses` some in some tests; `prepare` installs packages that only this stage needs, and returns
 * missing ones.
 */
export const stages = [
  { name: 'check', run: runChecks },
  {
    name: 'unit',
    uses: ['redis-server', 'postgresql', 'pgbouncer', 'bubblewrap'],
    run: () => runProject('unit', { timeoutMs }),
  },
  { name: 'conformance', built: true, run: runVectors },
  {
    name: 'e2e',
    built: true,
    uses: ['redis-server', 'bubblewrap', ...proxies],
    run: () => runProject('e2e', { timeoutMs }),
  },
  {
    name: 'runtimes',
    built: true,
    requires: 'runtimes',
    prepare: installRuntimes,
    run: () => runProject('runtimes', { timeoutMs }),
  },
  {
    name: 'faults',
    built: true,
    uses: ['redis-server', 'postgresql', 'nginx', 'openssl'],
    run: runFaults,
  },
  { name: 'soak', built: true, uses: ['redis-server', 'postgresql'], run: runSoak },
  {
    name: 'browser',
    built: true,
    requires: 'chromium',
    run: () => runProject('browser', { timeoutMs }),
  },
  { name: 'size', built: true, run: runSizes },
]

/** Runs a stage and returns its counts; a stage without its build has failed. */
export async function runStage(stage) {
  const startedAt = Date.now()
  const count = async () => {
    if (stage.built) await buildOnce()
    return stage.run()
  }
  const counts = await count().catch((error) => {
    console.error(excerpt(error.message))
    return { passed: 0, failed: 1, failures: [excerpt(error.message)] }
  })
  return { ...counts, seconds: (Date.now() - startedAt) / 1000 }
}
