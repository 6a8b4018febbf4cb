import { heartbeat } from './log-reader.ts'
import type { Piece } from './piece.ts'
import type { PieceReader } from './piece-source.ts'

/** Sends heartbeats until the beginning of what is to be read is known, and then that. */
export function readLater(
  begin: (signal: AbortSignal) => Promise<PieceReader>,
  heartbeatMs: number,
): PieceReader {
  return new LaterReader(begin, heartbeatMs)
}

class LaterReader implements PieceReader {
  readonly #heartbeatMs: number
  readonly #closed = new AbortController()
  readonly #begun: Promise<void>
  #reader: PieceReader | undefined
  /** The first one makes the headers of the response be sent. */
  #isQuiet = true

  constructor(begin: (signal: AbortSignal) => Promise<PieceReader>, heartbeatMs: number) {
    this.#heartbeatMs = heartbeatMs
    this.#begun = begin(this.#closed.signal).then((reader) => {
      this.#reader = reader
      if (this.#closed.signal.aborted) reader.close()
    })
    // Nobody may be waiting when it fails; whoever waits next is told.
    this.#begun.catch(() => {})
  }

  take(): Piece | undefined {
    if (this.#reader !== undefined) return this.#reader.take()
    if (!this.#isQuiet) return undefined
    this.#isQuiet = false
    return heartbeat
  }

  wait(onReady: () => void, onError: (error: unknown) => void): void {
    if (this.#reader !== undefined) return this.#reader.wait(onReady, onError)
    let isTold = false
    const tell = (act: () => void): void => {
      clearTimeout(timer)
      if (!isTold) act()
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
    this.#closed.abort()
    this.#reader?.close()
  }
}
