import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { root } from './root.mjs'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']
const KILL_DELAY_MS = 5_000
const PROGRESS_MS = 10_000
const hasGroups = process.platform !== 'win32'
const running = new Set()

function signalTree(child, signal) {
  try {
    process.kill(hasGroups ? -child.pid : child.pid, signal)
  } catch {
    // It has ended meanwhile.
  }
}

function passOn(signal) {
  for (const child of running) signalTree(child, signal)
  process.exit(128 + constants.signals[signal])
}

// Each child leads its own process group, so that a time limit ends its children too; a signal must then be passed on.
function track(child) {
  if (running.size === 0) for (const signal of SIGNALS) process.on(signal, passOn)
  running.add(child)
  return () => {
    running.delete(child)
    if (running.size === 0) for (const signal of SIGNALS) process.off(signal, passOn)
  }
}

function limitTime(child, timeoutMs, onTimeout) {
  let killer
  const timer = setTimeout(() => {
    onTimeout()
    signalTree(child, 'SIGTERM')
    killer = setTimeout(() => signalTree(child, 'SIGKILL'), KILL_DELAY_MS)
  }, timeoutMs)
  return () => {
    clearTimeout(timer)
    clearTimeout(killer)
  }
}

/** Runs a program to its end and returns its exit and its output; with `show`, also prints the output as it arrives. */
export function run(
  program,
  args,
  { cwd = root, env = {}, timeoutMs = 600_000, show = false } = {},
) {
  return new Promise((resolve) => {
    const startedAt = Date.now()
    const output = []
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: hasGroups,
    })
    const untrack = track(child)
    let note = ''
    const stopLimit = limitTime(child, timeoutMs, () => {
      note = `\nStopped after ${Math.round(timeoutMs / 1000)} s, its time limit.`
    })
    const keep = (stream) => (chunk) => {
      output.push(chunk)
      if (show) stream.write(chunk)
    }
    child.stdout.on('data', keep(process.stdout))
    child.stderr.on('data', keep(process.stderr))
    const end = (code, problem) => {
      stopLimit()
      untrack()
      const text = Buffer.concat(output).toString('utf8') + note + problem
      resolve({
        ok: code === 0 && note === '',
        output: text,
        seconds: (Date.now() - startedAt) / 1000,
      })
    }
    child.on('error', (error) => end(1, `\n${program}: ${error.message}`))
    child.on('close', (code) => end(code ?? 1, ''))
  })
}

const packageOf = { tsc: 'typescript', attw: '@arethetypeswrong/cli' }

/** Returns the script behind a command of node_modules, so that Node can run it on any platform. */
function toolPath(name) {
  const folder = join(root, 'node_modules', packageOf[name] ?? name)
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return join(folder, typeof bin === 'string' ? bin : bin[name])
}

/** Runs a command of node_modules; see `run`. */
export function runTool(name, args, options) {
  return run(process.execPath, [toolPath(name), ...args], options)
}

/** Prints the current work, and every ten seconds that it continues. */
export async function withProgress(label, work) {
  const startedAt = Date.now()
  console.log(label)
  const timer = setInterval(() => {
    console.log(`  … ${Math.round((Date.now() - startedAt) / 1000)} s`)
  }, PROGRESS_MS)
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}

/** Returns the first and last lines of an output: tools print the cause first, and the location of details last. */
export function excerpt(output, most = 40) {
  const lines = output.trim().split('\n')
  if (lines.length <= most) return lines.join('\n')
  const half = Math.floor(most / 2)
  return [
    ...lines.slice(0, half),
    `… ${lines.length - 2 * half} lines …`,
    ...lines.slice(-half),
  ].join('\n')
}
