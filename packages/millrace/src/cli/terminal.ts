import type { Terminal } from './command.ts'

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The terminal that this process was started from. */
export function createTerminal(): Terminal {
  return {
    env: process.env,
    print: (text) => void process.stdout.write(`${text}\n`),
    complain: (text) => void process.stderr.write(`${text}\n`),
    untilStopped,
  }
}

/** The first signal asks to stop, the second one does not wait for it. */
function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    let isStopping = false
    const stop = (signal: NodeJS.Signals): void => {
      if (isStopping) process.exit(signal === 'SIGINT' ? 130 : 143)
      isStopping = true
      resolve()
    }
    for (const signal of stopSignals) process.on(signal, stop)
  })
}
