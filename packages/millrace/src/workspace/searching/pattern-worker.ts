import { Worker } from 'node:worker_threads'
import { MillraceError } from '../../errors/index.ts'

/** What is looked for, and in what. */
export interface PatternSearch {
  /** Which of the worker's patterns. */
  readonly pattern: number
  readonly texts: readonly string[]
  /** What stands between the pieces of a text; the pattern is tried on each piece alone. */
  readonly separator: string
  /** Pieces are searched up to here. */
  readonly maxPieceChars: number
  /** How many pieces to find at most, in all texts together. */
  readonly limit: number
}

/** A piece of a text in which a pattern was found, and where in it; both from 0. */
export interface FoundPiece {
  readonly piece: number
  readonly column: number
}

/** Tries patterns in a thread of its own. */
export interface PatternWorker {
  /** Finds pieces in every text, in order; one search at a time. */
  find(search: PatternSearch): Promise<readonly (readonly FoundPiece[])[]>
  close(): Promise<void>
}

/** Enough for a few large files and the states of a pattern. */
const MEMORY_MB = 256

/** Text and not a module: a file would need another name where the sources run than where the build does. */
const program = `
const { parentPort, workerData } = require('node:worker_threads')
parentPort.on('message', ({ pattern, texts, separator, maxPieceChars, limit }) => {
  let left = limit
  const found = texts.map((text) => {
    const pieces = []
    for (let piece = 0, start = 0; start <= text.length && left > 0; piece += 1) {
      const next = text.indexOf(separator, start)
      const end = next === -1 ? text.length : next
      const last = separator === '\\n' && text[end - 1] === '\\r' ? end - 1 : end
      const slice = text.slice(start, Math.min(Math.max(start, last), start + maxPieceChars))
      const column = slice.search(workerData[pattern])
      start = end + 1
      if (column === -1 || (slice === '' && start > text.length)) continue
      left -= 1
      pieces.push({ piece, column })
    }
    return pieces
  })
  parentPort.postMessage(found)
})
`

/**
 * Starts a thread for patterns. No way is known to tell beforehand how long a pattern takes: one that never ends
 * must not hold up the process, and ends with the signal.
 */
export function openPatternWorker(
  patterns: readonly RegExp[],
  { signal }: { signal: AbortSignal },
): PatternWorker {
  const worker = new Worker(program, {
    eval: true,
    workerData: patterns,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  })
  let stop = (): void => {}
  const failure = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason as Error)
    worker.once('error', (cause) => reject(broken(cause)))
    worker.once('exit', () => reject(broken()))
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
  })
  failure.catch(() => {})
  return {
    find(search) {
      const answer = new Promise<readonly (readonly FoundPiece[])[]>((resolve) => {
        worker.once('message', resolve)
      })
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
      worker.postMessage(search)
      return Promise.race([answer, failure])
    },
    async close() {
      signal.removeEventListener('abort', stop)
      await worker.terminate()
    },
  }
}

function broken(cause?: unknown): MillraceError {
  return new MillraceError(
    'bad_request',
    'The pattern needs too much memory or cannot be run; use a simpler one.',
    { cause },
  )
}
