import { type ChildProcess, spawn } from 'node:child_process'
import { createLineReader } from '../../cli/line-reader.ts'

/** Process groups that must not outlive this process. */
const trackedGroups = new Set<number>()

/** Windows has no process groups; only the leader receives the signal. */
const sign = process.platform === 'win32' ? 1 : -1

interface AdapterProcessOptions {
  onLine(line: string): void
  /** Called once, when it has ended or could not be started; `why` is a sentence without a subject. */
  onGone(why: string): void
  /** Called when it exceeds a limit. */
  onFault(why: string): void
  readonly maxLineChars: number
  /** Timeout after each way of ending it. */
  readonly graceMs: number
}

/** The process of an adapter. */
export type AdapterProcess = ReturnType<typeof startAdapter>

/** Starts a command in its own process group, with the stderr of this process. */
export function startAdapter(
  [command = '', ...args]: readonly string[],
  { onLine, onGone, onFault, maxLineChars, graceMs }: AdapterProcessOptions,
) {
  const child = spawn(command, args, {
    stdio: ['pipe', 'pipe', 'inherit'],
    // Ends a wrapper, such as a shell or npx, together with its children.
    detached: process.platform !== 'win32',
  })
  const { pid } = child
  if (pid !== undefined) {
    watchGroup(pid)
    // Its children may hold the pipe open.
    child.once('exit', () => killGroup(pid))
  }
  const gone = untilGone(child, command).then(onGone)
  const lines = createLineReader(onLine, { maxLineChars })
  child.stdout.on('data', (bytes: Uint8Array) => {
    try {
      lines.feed(bytes)
    } catch (error) {
      child.stdout.destroy()
      onFault(error instanceof Error ? error.message : String(error))
    }
  })
  child.stdout.on('end', () => lines.finish())
  // A closed pipe shows by the end of the process.
  child.stdin.on('error', () => {})

  const goneWithin = (ms: number): Promise<boolean> => {
    const { promise, resolve } = withResolvers<boolean>()
    const timer = setTimeout(() => resolve(false), ms)
    void gone.then(() => resolve(true))
    return promise.finally(() => clearTimeout(timer))
  }

  return {
    /** Writes a line; resolves when there is room for more. */
    send: async (line: string) => {
      if (child.stdin.write(`${line}\n`)) return
      const { promise, resolve } = withResolvers<void>()
      child.stdin.once('drain', resolve)
      await Promise.race([promise, gone])
    },
    /** Ends it, politely by closing its input first; resolves when it has ended. */
    end: async (how: 'politely' | 'now') => {
      child.stdin.end()
      if (how === 'politely' && (await goneWithin(graceMs))) return
      if (pid !== undefined) signalGroup(pid, 'SIGTERM')
      if (await goneWithin(graceMs)) return
      if (pid !== undefined) killGroup(pid)
      child.stdout.destroy()
      await gone
    },
  }
}

/** Resolves when a process has ended and all its output was read. */
function untilGone(child: ChildProcess, command: string): Promise<string> {
  const { promise, resolve } = withResolvers<string>()
  child.once('error', (error: NodeJS.ErrnoException) => resolve(describeStart(error, command)))
  child.once('close', (code, signal) =>
    resolve(signal === null ? `ended with code ${code}` : `was ended by ${signal}`),
  )
  return promise
}

function describeStart({ code, message }: NodeJS.ErrnoException, command: string): string {
  const name = cut(command)
  if (code === 'ENOENT')
    return `could not be started: there is no command ${name}; check its name, or give its path`
  if (code === 'EACCES') return `could not be started: ${name} may not be executed`
  return `could not be started: ${message}`
}

function withResolvers<Value>() {
  let resolve: (value: Value) => void = () => {}
  const promise = new Promise<Value>((settle) => (resolve = settle))
  return { promise, resolve }
}

/** Tracks a process group by its leader until it is killed, so that it is killed at the latest when this process exits. */
function watchGroup(leader: number): void {
  if (trackedGroups.size === 0) process.on('exit', killAll)
  trackedGroups.add(leader)
}

/** Kills all processes of a group and stops tracking it. */
function killGroup(leader: number): void {
  signalGroup(leader, 'SIGKILL')
  trackedGroups.delete(leader)
  if (trackedGroups.size === 0) process.off('exit', killAll)
}

/** Sends a signal to a process group; 0 only checks that it exists. Returns whether a process was found. */
function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(sign * leader, signal)
  } catch (error) {
    // EPERM: the process exists but runs as another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

function killAll(): void {
  for (const leader of trackedGroups) signalGroup(leader, 'SIGKILL')
}

const SHOWN_CHARS = 120

/** Quotes a text for a sentence, truncated to a line. */
export function cut(text: string): string {
  return JSON.stringify(text.length <= SHOWN_CHARS ? text : `${text.slice(0, SHOWN_CHARS)}…`)
}
