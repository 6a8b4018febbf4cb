import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { createOutputWindow } from './output-window.ts'
import { endGroup, watchGroup } from './process-group.ts'

/** A command and the bounds of its run. */
export interface Command {
  readonly shell: string
  readonly command: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly maxOutputChars: number
  readonly signal: AbortSignal
  /** Hears the output as it comes. */
  readonly onOutput: (text: string) => void
}

/** How a command ended. */
export interface CommandOutcome {
  readonly output: string
  /** Null if a signal ended it. */
  readonly exitCode: number | null
  readonly killedBy: string | null
  readonly isTimedOut: boolean
}

/** Both outputs go into one pipe, so that they stay in order. */
const MERGED = 'exec "$0" -c "$1" bash 2>&1'
/** What a group has to end by itself once it is asked to. */
const GRACE_MS = 1000
/** What is still on its way when the shell has ended. */
const DRAIN_MS = 250

/** Runs a command in a shell of its own process group; nothing of the group is left when this returns. */
export async function runCommand(command: Command): Promise<CommandOutcome> {
  const { shell, cwd, env, signal, timeoutMs, maxOutputChars, onOutput } = command
  signal.throwIfAborted()
  const child = spawn(shell, ['-c', MERGED, shell, command.command], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const { pid, stdout } = child
  if (pid === undefined) return failToStart(child)
  watchGroup(pid)
  const window = createOutputWindow(maxOutputChars)
  stdout.setEncoding('utf8').on('data', (text: string) => {
    window.feed(text)
    onOutput(text)
  })
  const drained = once(stdout, 'end').catch(() => {})
  const ended = once(child, 'exit')
  try {
    const isTimedOut = await outlasts(ended, timeoutMs, signal)
    if (!isTimedOut) await within(drained, DRAIN_MS)
    await endGroup(pid, { graceMs: GRACE_MS })
    await within(Promise.all([ended, drained]), DRAIN_MS)
    signal.throwIfAborted()
    const { exitCode, signalCode: killedBy } = child
    return { output: window.finish(), exitCode, killedBy, isTimedOut }
  } finally {
    stdout.destroy()
  }
}

/** Waits for the shell's end; true if time or the signal came first. */
async function outlasts(
  ended: Promise<unknown>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const over = new AbortController()
  const stop = (): void => over.abort()
  signal.addEventListener('abort', stop, { once: true })
  const late = sleep(timeoutMs, true, { signal: over.signal }).catch(() => true)
  try {
    return await Promise.race([ended.then(() => false), late])
  } finally {
    signal.removeEventListener('abort', stop)
    over.abort()
  }
}

async function within(work: Promise<unknown>, limitMs: number): Promise<void> {
  const over = new AbortController()
  const late = sleep(limitMs, undefined, { signal: over.signal }).catch(() => {})
  await Promise.race([work, late])
  over.abort()
}

async function failToStart(child: ChildProcess): Promise<never> {
  const [error] = (await once(child, 'error', { signal: AbortSignal.timeout(DRAIN_MS) })) as [Error]
  throw error
}
