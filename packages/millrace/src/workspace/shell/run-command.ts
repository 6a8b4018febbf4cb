import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { MillraceError } from '../../errors/index.ts'
import { watchGroup } from '../../process-groups/index.ts'
import { awaitEnd, type EarlyEnd } from './await-end.ts'
import { endGroup } from './end-group.ts'
import { createOutputWindow } from './output-window.ts'
import { STATUS_FD } from './sandbox/bubblewrap.ts'
import { type Launch, READY } from './sandbox/sandbox.ts'
import { readSandboxStatus, type SandboxStatus } from './sandbox/sandbox-status.ts'

/** A command and the bounds of its run. */
export interface Command {
  readonly launch: Launch
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly maxOutputChars: number
  readonly maxProcesses: number
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
  /** The bound that ended it. */
  readonly earlyEnd: EarlyEnd | undefined
}

/** What a group has to end by itself once it is asked to. */
const GRACE_MS = 1000
/** What is still on its way when the shell has ended. */
const DRAIN_MS = 250
const MAX_COMPLAINT_CHARS = 1000

/** Runs a command in a process group of its own; nothing of the group is left when this returns. */
export async function runCommand(command: Command): Promise<CommandOutcome> {
  const { signal, timeoutMs, maxOutputChars, maxProcesses, onOutput } = command
  signal.throwIfAborted()
  const { child, stdout, status, complaint } = start(command)
  const { pid } = child
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
    const earlyEnd = await awaitEnd(ended, { timeoutMs, signal, status, maxProcesses })
    if (earlyEnd === undefined) await within(drained, DRAIN_MS)
    const graceMs = earlyEnd === 'processes' ? 0 : GRACE_MS
    await endGroup(pid, { graceMs, inner: earlyEnd && status?.leader })
    await within(Promise.all([ended, drained]), DRAIN_MS)
    signal.throwIfAborted()
    const { exitCode, signalCode: killedBy } = child
    if (exitCode !== 0) refuseComplaint(complaint())
    return { output: window.finish(), exitCode, killedBy, earlyEnd }
  } finally {
    stdout.destroy()
  }
}

interface Started {
  readonly child: ChildProcess
  readonly stdout: Readable
  readonly status: SandboxStatus | undefined
  /** Gives what the sandbox itself has written: the outputs of the command go elsewhere. */
  readonly complaint: () => string
}

function start({ launch, cwd, env }: Command): Started {
  const { argv, reportsStatus, user } = launch
  const [program = '', ...args] = argv
  const child = spawn(program, args, {
    cwd,
    env,
    detached: true,
    ...user,
    stdio: reportsStatus ? ['pipe', 'pipe', 'pipe', 'pipe'] : ['ignore', 'pipe', 'ignore'],
  })
  const { stdout } = child
  if (stdout === null) throw new MillraceError('internal', 'A command has no output.')
  const reports = child.stdio[STATUS_FD]
  const status = reports instanceof Readable ? readSandboxStatus(reports) : undefined
  return { child, stdout, status, complaint: openGate(child) }
}

/** Lets the command start once its shell is ready; gives what the sandbox wrote if that never happened. */
function openGate({ stdin, stderr }: ChildProcess): () => string {
  let written = ''
  let isReady = false
  // The shell may be gone when it is answered.
  stdin?.on('error', () => {})
  stderr?.setEncoding('utf8').on('data', (text: string) => {
    if (isReady) return
    // The shell may warn of something first, such as a locale that is not installed.
    written = (written + text).slice(-MAX_COMPLAINT_CHARS)
    if (!written.includes(READY)) return
    isReady = true
    stdin?.end('\n')
  })
  return () => (isReady ? '' : written.trim())
}

function refuseComplaint(text: string): void {
  if (text === '') return
  throw new MillraceError('internal', `The sandbox could not run the command: ${text}`)
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
