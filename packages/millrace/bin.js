#!/usr/bin/env node
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Finds the command line where the app, or this package, has it installed. */
function findTools() {
  for (const place of [join(process.cwd(), 'package.json'), import.meta.url]) {
    try {
      const manifest = createRequire(place).resolve('millrace-tools/package.json')
      return pathToFileURL(join(dirname(manifest), 'dist/main.js')).href
    } catch {}
  }
  return undefined
}

const tools = findTools()
if (tools) await import(tools)
else {
  const { version } = createRequire(import.meta.url)('./package.json')
  const args = ['exec', '--yes', `millrace-tools@${version}`, '--', ...process.argv.slice(2)]
  const npm = spawn('npm', args, { stdio: 'inherit', shell: process.platform === 'win32' })
  // A signal of the terminal reaches npm too, which ends the command; this process waits for its exit code.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => npm.kill(signal))
  npm.on('error', () => {
    console.error(
      `The commands are in the package millrace-tools: npm install millrace-tools@${version}`,
    )
    process.exitCode = 1
  })
  npm.on('exit', (code) => (process.exitCode = code ?? 1))
}
