import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { programEnvironment } from '../scripts/lib/programs.mjs'

// The collector uses one thread, so that its work counts for the case that caused it.
const flags = [
  '--expose-gc',
  '--single-threaded-gc',
  '--max-old-space-size=4096',
  '--import',
  'tsx',
]
const main = fileURLToPath(new URL('src/main.ts', import.meta.url))
const child = spawn(process.execPath, [...flags, main, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, ...programEnvironment() },
})
child.on('exit', (code, signal) => {
  process.exitCode = signal === null ? (code ?? 1) : 1
})
