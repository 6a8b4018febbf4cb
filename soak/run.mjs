import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { programEnvironment } from '../scripts/lib/programs.mjs'

const main = fileURLToPath(new URL('src/main.ts', import.meta.url))
const child = spawn(process.execPath, ['--import', 'tsx', main, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, ...programEnvironment() },
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => {
  process.exitCode = signal === null ? (code ?? 1) : 1
})
