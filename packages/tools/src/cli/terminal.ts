import type { Terminal } from './command.ts'
import { isMillraceError, showHiddenCharacters } from 'millrace'
import { toErrorLog } from 'millrace/redaction'

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** One Ctrl-C may arrive twice: from the terminal, and from a parent that forwards it. */
const sameSignalMs = 500

/** The exit code of a program that was ended by a closed pipe. */
const pipeClosedCode = 141

type Output = Pick<NodeJS.WritableStream, 'on' | 'once' | 'write'> & {
  readonly isTTY?: boolean
  readonly columns?: number
}

/** Creates the terminal of this process. Text for a terminal is made safe; pipes and files get every byte. */
export function createTerminal({
  stdout,
  stderr,
}: { readonly stdout: Output; readonly stderr: Output } = process): Terminal {
  let isServing = false
  // The reader of the output may leave first. A server continues without it; a command has nothing left to do, and must
  // not exit with success.
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
    // On demand, because access to it starts reading.
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

/** Overwrites the current line; an empty text clears it. */
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

/** The first signal requests a stop; a second one, a moment later, exits at once. */
function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    let isStopping = false
    let isLater = false
    const stop = (signal: NodeJS.Signals): void => {
      if (isLater) process.exit(signal === 'SIGINT' ? 130 : 143)
      if (isStopping) return
      isStopping = true
      // After the timer, Node first delivers the signals that arrived meanwhile: a busy process may get them late.
      setTimeout(() => setImmediate(() => void (isLater = true)), sameSignalMs).unref()
      resolve()
    }
    for (const signal of stopSignals) process.on(signal, stop)
  })
}

const escape = '\u001b'

/** The colours of {@link createPaint}, the only escape sequences that commands print. */
const colours = new RegExp(`(${escape}\\[(?:[012]|3[123])m)`)

/**
 * Makes a text safe for a terminal: models, tools and files may have written parts of it, and an escape sequence in
 * them could move the cursor, hide text or inject input.
 */
export function toTerminalText(text: string): string {
  return text
    .split(colours)
    .map((part) => (colours.test(part) ? part : showHiddenCharacters(part)))
    .join('')
}

/** Formats an error for a terminal, without secrets. An unexpected one includes its stack. */
export function toCrashText(error: unknown): string {
  return toErrorLog(isMillraceError(error) ? error.message : error)
}
