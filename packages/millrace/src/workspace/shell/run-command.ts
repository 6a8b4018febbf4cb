import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { MillraceError } from '../../errors/index.ts'
import { killGroup, signalGroup, watchGroup } from '../../process-groups/index.ts'
import { onAbort } from '../../streams/index.ts'
import { createOutputWindow } from './output-window.ts'
import { STATUS_FD } from './sandbox/bubblewrap.ts'
import { type Launch, READY } from './sandbox/sandbox.ts'

/** Root is exempt from the kernel's process limit, so processes are counted at this interval. */
const COUNT_INTERVAL_MS = 100

/** A command and its limits. */
interface Command {
  readonly launch: Launch
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly maxOutputChars: number
  readonly maxProcesses: number
  readonly signal: AbortSignal
  /** Receives the output as it arrives. */
  readonly onOutput: (text: string) => void
}

/** The outcome of a command. */
export interface CommandOutcome {
  readonly output: string
  /** Null if a signal ended the command. */
  readonly exitCode: number | null
  readonly killedBy: string | null
  readonly earlyEnd: EarlyEnd | undefined
}

/** Time for a group to exit after SIGTERM. */
const GRACE_MS = 1000
/** Time for pending output after the shell has exited. */
const DRAIN_MS = 250
const MAX_ERROR_CHARS = 1000

/** Runs a command in its own process group. All processes of the group have ended when it returns. */
export async function runCommand(command: Command): Promise<CommandOutcome> {
  const { signal, timeoutMs, maxOutputChars, maxProcesses, onOutput } = command
  signal.throwIfAborted()
  const { child, stdout, status, sandboxError } = start(command)
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
    if (exitCode !== 0) throwSandboxError(sandboxError())
    return { output: window.finish(), exitCode, killedBy, earlyEnd }
  } finally {
    stdout.destroy()
  }
}

function start({ launch, cwd, env }: Command) {
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
  return {
    child,
    stdout,
    status,
    /** Returns the stderr of the sandbox, without the output of the command. */
    sandboxError: startWhenReady(child),
  }
}

/** Starts the command once its shell is ready. Returns a function that returns the stderr of the sandbox if the shell never was. */
function startWhenReady({ stdin, stderr }: ChildProcess): () => string {
  let written = ''
  let isReady = false
  // The shell may have exited before it receives the line.
  stdin?.on('error', () => {})
  stderr?.setEncoding('utf8').on('data', (text: string) => {
    if (isReady) return
    // The shell may print a warning first, for example about a missing locale.
    written = (written + text).slice(-MAX_ERROR_CHARS)
    if (!written.includes(READY)) return
    isReady = true
    stdin?.end('\n')
  })
  return () => (isReady ? '' : written.trim())
}

function throwSandboxError(text: string): void {
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

const POLL_MS = 20

interface EndOptions {
  /** Delay between SIGTERM and SIGKILL. */
  readonly graceMs: number
  /** The group that receives SIGTERM if the tracked group only holds a sandbox, which ends with it. */
  readonly inner: number | undefined
}

/** Ends all processes of a group: by SIGTERM, and after `graceMs` by SIGKILL. */
async function endGroup(leader: number, { graceMs, inner }: EndOptions): Promise<void> {
  const rounds = Math.ceil(graceMs / POLL_MS)
  signalGroup(inner ?? leader, 'SIGTERM')
  for (let round = 0; signalGroup(leader, 0) && round < rounds; round++) await sleep(POLL_MS)
  killGroup(leader)
}

/** The limit that ended a command. A stopped run counts as a timeout. */
type EarlyEnd = 'time' | 'processes'

interface EndBounds {
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Present in a sandbox that reports its status. Processes can be counted only there. */
  readonly status: SandboxStatus | undefined
  readonly maxProcesses: number
}

/** Waits until a command exits, which returns undefined, or exceeds a limit. */
async function awaitEnd(
  ended: Promise<unknown>,
  { timeoutMs, signal, status, maxProcesses }: EndBounds,
): Promise<EarlyEnd | undefined> {
  const over = new AbortController()
  const detach = onAbort(signal, () => over.abort())
  const late = sleep(timeoutMs, 'time' as const, { signal: over.signal }).catch(
    () => 'time' as const,
  )
  const overrun = status === undefined ? [] : [waitForOverrun(status, maxProcesses, over.signal)]
  try {
    return await Promise.race([ended.then(() => undefined), late, ...overrun])
  } finally {
    detach()
    over.abort()
  }
}

/** Resolves when there are too many processes; never resolves otherwise. */
async function waitForOverrun(
  status: SandboxStatus,
  maxProcesses: number,
  signal: AbortSignal,
): Promise<EarlyEnd> {
  while (!signal.aborted) {
    await sleep(COUNT_INTERVAL_MS, undefined, { signal }).catch(() => {})
    const count = status.leader === undefined ? 0 : await countProcesses(status.leader)
    if (count > maxProcesses) return 'processes'
  }
  return new Promise(() => {})
}

/** Counts the processes in the namespace of a sandbox; 0 after its end. */
async function countProcesses(leader: number): Promise<number> {
  try {
    // The sandbox has its own `/proc`, which lists only its processes.
    const names = await readdir(`/proc/${leader}/root/proc`)
    return names.filter((name) => /^\d+$/.test(name)).length
  } catch {
    return 0
  }
}

interface SandboxStatus {
  /** The session leader of the command, which is also the first process of its namespace. */
  readonly leader: number | undefined
}

/** Maximum length of reports. The first report takes about 200 characters. */
const MAX_CHARS = 2000

/** Reads the reports of bubblewrap. The id of the first process is reported before the command starts. */
function readSandboxStatus(reports: Readable): SandboxStatus {
  let text = ''
  reports.setEncoding('utf8').on('data', (chunk: string) => {
    if (text.length < MAX_CHARS) text += chunk
  })
  reports.on('error', () => {})
  return {
    get leader() {
      const id = Number(/"child-pid": (\d+)/.exec(text)?.[1])
      return id > 1 ? id : undefined
    },
  }
}
