import { Worker } from 'node:worker_threads'
import { badRequest, type MillraceError } from '../../errors/index.ts'
import { onAbort } from '../../streams/index.ts'

interface PatternSearch {
  readonly pattern: number
  readonly texts: readonly string[]
  /** Separator of the pieces of a text. The pattern is matched against each piece. */
  readonly separator: string
  /** Maximum searched length of a piece. */
  readonly maxPieceChars: number
  /** Maximum number of matching pieces in all texts. */
  readonly limit: number
}

/** A matching piece of a text and the column of the match, both from 0. */
export interface FoundPiece {
  readonly piece: number
  readonly column: number
}

/** Matches patterns in a separate thread. */
export type PatternWorker = ReturnType<typeof openPatternWorker>

/** Sufficient for a few large files and the states of a pattern. */
const MEMORY_MB = 256

/** Source text instead of a module file, whose name would differ between sources and build. */
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
 * Starts a thread for patterns. The run time of a pattern cannot be predicted: an endless one must not block the
 * process, and ends with the signal.
 */
export function openPatternWorker(
  patterns: readonly RegExp[],
  { signal }: { signal: AbortSignal },
) {
  const worker = new Worker(program, {
    eval: true,
    workerData: patterns,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  })
  let detach = (): void => {}
  const failure = new Promise<never>((_resolve, reject) => {
    worker.once('error', (cause) => reject(broken(cause)))
    worker.once('exit', () => reject(broken()))
    detach = onAbort(signal, () => reject(signal.reason as Error))
  })
  failure.catch(() => {})
  return {
    /** Finds matching pieces in every text, in order. Only one search may run at a time. */
    find(search: PatternSearch): Promise<readonly (readonly FoundPiece[])[]> {
      const answer = new Promise<readonly (readonly FoundPiece[])[]>((resolve) => {
        worker.once('message', resolve)
      })
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
      worker.postMessage(search)
      return Promise.race([answer, failure])
    },
    async close() {
      detach()
      await worker.terminate()
    },
  }
}

function broken(cause?: unknown): MillraceError {
  return badRequest('The pattern needs too much memory or cannot be run; use a simpler one.', {
    cause,
  })
}

/** Starts a timeout. `dispose` releases the timer. */
export function startTimeLimit(signal: AbortSignal, timeoutMs: number) {
  const controller = new AbortController()
  let isOver = false
  const timer = setTimeout(() => {
    isOver = true
    controller.abort()
  }, timeoutMs)
  const detach = onAbort(signal, () => controller.abort(signal.reason))
  return {
    signal: controller.signal,
    /** Whether the timeout expired; false if the signal aborted. */
    get isOver() {
      return isOver
    },
    dispose() {
      clearTimeout(timer)
      detach()
    },
  }
}
