import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { root } from './root.mjs'

const folder = mkdtempSync(join(tmpdir(), 'millrace-'))
const pids = []

afterEach(() => {
  for (const pid of pids.splice(0)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended, as expected.
    }
  }
  rmSync(folder, { recursive: true, force: true })
})

const write = (name, text) => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

/** Whether a process listens: a zombie still has its id. */
const isListening = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true))
    socket.on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })

/** A parent, like npm, of a script in the foreground that listens. */
async function start(env) {
  const server = write(
    'server.mjs',
    `import { createServer } from 'node:net'
     const server = createServer().listen(0, '127.0.0.1', () =>
       console.log(JSON.stringify({ pids: [process.ppid, process.pid], port: server.address().port })))`,
  )
  const middle = write(
    'middle.mjs',
    `import { runForeground } from ${JSON.stringify(join(root, 'scripts/lib/foreground.mjs'))}
     process.exitCode = await runForeground(${JSON.stringify(relative(root, server))}, [])`,
  )
  const outer = write(
    'outer.mjs',
    `import { spawn } from 'node:child_process'
     spawn(process.execPath, [${JSON.stringify(middle)}], { stdio: 'inherit' })`,
  )
  const { npm_lifecycle_event: _, ...plain } = process.env
  const parent = spawn(process.execPath, [outer], {
    env: { ...plain, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  parent.stdout.on('data', (chunk) => (output += chunk))
  await expect.poll(() => output, { timeout: 10_000 }).toContain('\n')
  const received = JSON.parse(output)
  pids.push(parent.pid, ...received.pids)
  return { parent, port: received.port }
}

test('processes of npm stop when npm has ended', async () => {
  const { parent, port } = await start({ npm_lifecycle_event: 'start' })
  expect(await isListening(port)).toBe(true)
  parent.kill('SIGKILL')
  await expect.poll(() => isListening(port), { timeout: 10_000 }).toBe(false)
})
