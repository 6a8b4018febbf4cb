import type { Completion } from './completion.ts'
import { heartbeat } from './log-reader.ts'
import type { BodyChunk, ChunkReader } from './chunk-source.ts'

/** Options of a wait for a queued prompt. */
interface ReadLaterOptions {
  readonly heartbeatMs: number
  /** Interrupted when the server closes, which ends the wait. */
  readonly completion: Completion
}

/** Sends heartbeats until `begin` resolves, then reads from its reader. */
export function readLater(
  begin: (signal: AbortSignal) => Promise<ChunkReader>,
  options: ReadLaterOptions,
): ChunkReader {
  return new LaterReader(begin, options)
}

class LaterReader implements ChunkReader {
  readonly #heartbeatMs: number
  readonly #closed = new AbortController()
  readonly #begun: Promise<void>
  readonly #unsubscribe: () => void
  #reader: ChunkReader | undefined
  /** Initially true: the first heartbeat makes the platform send the response headers. */
  #isQuiet = true

  constructor(
    begin: (signal: AbortSignal) => Promise<ChunkReader>,
    { heartbeatMs, completion }: ReadLaterOptions,
  ) {
    this.#heartbeatMs = heartbeatMs
    const { signal } = this.#closed
    this.#begun = begin(signal).then((reader) => {
      this.#unsubscribe()
      this.#reader = reader
      if (signal.aborted) reader.close()
    })
    // A failure before the first wait is reported by the next call of `wait`.
    this.#begun.catch(() => {})
    this.#unsubscribe = completion.onChange(() => this.close())
    if (completion.isInterrupted()) this.close()
  }

  take(): BodyChunk | undefined {
    if (this.#reader !== undefined) return this.#reader.take()
    if (!this.#isQuiet) return undefined
    this.#isQuiet = false
    return heartbeat
  }

  wait(onReady: () => void, onError: (error: unknown) => void): void {
    if (this.#reader !== undefined) return this.#reader.wait(onReady, onError)
    let isSettled = false
    const settle = (task: () => void): void => {
      clearTimeout(timer)
      if (!isSettled) task()
      isSettled = true
    }
    const timer = setTimeout(() => {
      this.#isQuiet = true
      settle(onReady)
    }, this.#heartbeatMs)
    this.#begun.then(
      () => settle(onReady),
      (error: unknown) => settle(() => (this.isOver() ? onReady() : onError(error))),
    )
  }

  isOver(): boolean {
    return this.#closed.signal.aborted || this.#reader?.isOver() === true
  }

  close(): void {
    this.#unsubscribe()
    this.#closed.abort()
    this.#reader?.close()
  }
}
