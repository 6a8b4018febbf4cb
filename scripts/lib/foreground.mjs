import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { join } from 'node:path'
import { root } from './root.mjs'

const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** Runs a script of the repository with this terminal, passes signals on, and gives its exit code. */
export async function runForeground(script, args, { cwd = process.cwd() } = {}) {
  const child = spawn(process.execPath, [join(root, script), ...args], { cwd, stdio: 'inherit' })
  const passOn = (signal) => {
    // Ctrl-C in a terminal reaches the child by itself; a second one could mean "stop at once" to it.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
  }
  for (const signal of forwarded) process.on(signal, passOn)
  const [code, signal] = await once(child, 'exit')
  for (const name of forwarded) process.off(name, passOn)
  return code ?? 128 + constants.signals[signal]
}
