import type { Terminal } from './command.ts'
import { toTerminalText } from './terminal-text.ts'

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** One Ctrl-C may come twice, from the terminal and from a parent that passes it on. */
const sameSignalMs = 500

/** What a shell says of a program that a closed pipe has ended. */
const pipeClosedCode = 141

type Output = Pick<NodeJS.WritableStream, 'on' | 'once' | 'write'> & {
  readonly isTTY?: boolean
  readonly columns?: number
}

/** The terminal that this process was started from. Text for a terminal is made safe; pipes and files get every byte. */
export function createTerminal({
  stdout,
  stderr,
}: { readonly stdout: Output; readonly stderr: Output } = process): Terminal {
  let isServing = false
  // Who reads the output may leave first. A server goes on without; a command has nothing left to do, and its
  // exit code must not say that all was well.
  stdout.on('error', () => {
    if (!isServing) process.exit(pipeClosedCode)
  })
  stderr.on('error', () => {})
  return {
    env: process.env,
    print: (text) => void stdout.write(`${toSafeText(stdout, text)}\n`),
    complain: (text) => void stderr.write(`${toSafeText(stderr, text)}\n`),
    ...(stderr.isTTY && { showProgress: (text: string) => showProgress(stderr, text) }),
    isInteractive: stdout.isTTY === true,
    // Asked for when it is needed: to look at it is to begin to read.
    get input() {
      return process.stdin
    },
    write: (text) => writeOut(stdout, toSafeText(stdout, text)),
    untilStopped: () => {
      isServing = true
      return untilStopped()
    },
  }
}

function toSafeText({ isTTY }: Output, text: string): string {
  return isTTY ? toTerminalText(text) : text
}

/** Writes over the line before; an empty text leaves nothing of it. */
function showProgress(stderr: Output, text: string): void {
  const width = (stderr.columns ?? 80) - 1
  stderr.write(`\r\u001b[K${toTerminalText(text).slice(0, width)}`)
}

function writeOut(stdout: Output, text: string): Promise<void> {
  return new Promise((resolve) => {
    if (stdout.write(text)) resolve()
    else stdout.once('drain', resolve)
  })
}

/** The first signal asks to stop, a second one, a moment later, does not wait for it. */
function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    let isStopping = false
    let isLater = false
    const stop = (signal: NodeJS.Signals): void => {
      if (isLater) process.exit(signal === 'SIGINT' ? 130 : 143)
      if (isStopping) return
      isStopping = true
      // After the timer, Node first delivers the signals that came meanwhile: a busy process may see them late.
      setTimeout(() => setImmediate(() => void (isLater = true)), sameSignalMs).unref()
      resolve()
    }
    for (const signal of stopSignals) process.on(signal, stop)
  })
}
