import type { Terminal } from './command.ts'

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** One Ctrl-C may come twice, from the terminal and from a parent that passes it on. */
const sameSignalMs = 500

/** What a shell says of a program that a closed pipe has ended. */
const pipeClosedCode = 141

/** The terminal that this process was started from. */
export function createTerminal(): Terminal {
  let isServing = false
  // Who reads the output may leave first. A server goes on without; a command has nothing left to do, and its
  // exit code must not say that all was well.
  process.stdout.on('error', () => {
    if (!isServing) process.exit(pipeClosedCode)
  })
  process.stderr.on('error', () => {})
  return {
    env: process.env,
    print: (text) => void process.stdout.write(`${text}\n`),
    complain: (text) => void process.stderr.write(`${text}\n`),
    ...(process.stderr.isTTY && { showProgress }),
    isInteractive: process.stdout.isTTY,
    // Asked for when it is needed: to look at it is to begin to read.
    get input() {
      return process.stdin
    },
    write: writeOut,
    untilStopped: () => {
      isServing = true
      return untilStopped()
    },
  }
}

/** Writes over the line before; an empty text leaves nothing of it. */
function showProgress(text: string): void {
  const width = process.stderr.columns - 1
  process.stderr.write(`\r\u001b[K${text.slice(0, width)}`)
}

function writeOut(text: string): Promise<void> {
  return new Promise((resolve) => {
    if (process.stdout.write(text)) resolve()
    else process.stdout.once('drain', resolve)
  })
}

/** The first signal asks to stop, a second one, a moment later, does not wait for it. */
function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    let stoppedAt: number | undefined
    const stop = (signal: NodeJS.Signals): void => {
      const now = performance.now()
      if (stoppedAt !== undefined && now - stoppedAt > sameSignalMs) {
        process.exit(signal === 'SIGINT' ? 130 : 143)
      }
      stoppedAt ??= now
      resolve()
    }
    for (const signal of stopSignals) process.on(signal, stop)
  })
}
