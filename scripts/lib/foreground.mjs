import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { join } from 'node:path'
import { root } from './root.mjs'

const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP']
const PARENT_CHECK_MS = 1_000

/** Calls back when npm, which started this process, is gone: it may be killed without a signal to its children. */
function watchParent(onGone) {
  // The end of a shell is ignored: `nohup` and `disown` keep the program running.
  if (process.env.npm_lifecycle_event === undefined) return () => {}
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    onGone()
  }, PARENT_CHECK_MS)
  timer.unref()
  return () => clearInterval(timer)
}

/** Runs a script of the repository with this terminal, passes signals on, and returns its exit code. */
export async function runForeground(script, args, { cwd = process.cwd() } = {}) {
  const child = spawn(process.execPath, [join(root, script), ...args], { cwd, stdio: 'inherit' })
  const passOn = (signal) => {
    // Ctrl-C in a terminal reaches the child directly; a second signal could mean "stop at once" to it.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
  }
  for (const signal of forwarded) process.on(signal, passOn)
  const stopWatching = watchParent(() => child.kill('SIGTERM'))
  const [code, signal] = await once(child, 'exit')
  stopWatching()
  for (const name of forwarded) process.off(name, passOn)
  return code ?? 128 + constants.signals[signal]
}
