import type { Completion } from './completion.ts'
import { heartbeat } from './log-reader.ts'
import type { BodyChunk } from './body-chunk.ts'
import type { ChunkReader } from './chunk-source.ts'

/** How a reader waits for the beginning. */
export interface ReadLaterOptions {
  readonly heartbeatMs: number
  /** Lost when the server closes, which ends the wait. */
  readonly completion: Completion
}

/** Sends heartbeats until the beginning of what is to be read is known, and then that. */
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
  /** The first one makes the headers of the response be sent. */
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
    // It may fail while nothing waits; the next call of wait reports it.
    this.#begun.catch(() => {})
    this.#unsubscribe = completion.onChange(() => this.close())
    if (completion.isLost()) this.close()
  }

  take(): BodyChunk | undefined {
    if (this.#reader !== undefined) return this.#reader.take()
    if (!this.#isQuiet) return undefined
    this.#isQuiet = false
    return heartbeat
  }

  wait(onReady: () => void, onError: (error: unknown) => void): void {
    if (this.#reader !== undefined) return this.#reader.wait(onReady, onError)
    let isTold = false
    const tell = (task: () => void): void => {
      clearTimeout(timer)
      if (!isTold) task()
      isTold = true
    }
    const timer = setTimeout(() => {
      this.#isQuiet = true
      tell(onReady)
    }, this.#heartbeatMs)
    this.#begun.then(
      () => tell(onReady),
      (error: unknown) => tell(() => (this.isOver() ? onReady() : onError(error))),
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
