import { setTimeout as sleep } from 'node:timers/promises'
import type { PageContent } from './content.ts'

/** The pace of chunks. */
const PIECES_PER_SECOND = 200
const TICK_MS = 1000 / PIECES_PER_SECOND

/** Content that is being sent to one page. */
export interface Playing {
  readonly content: PageContent
  /** The chunks, each at its time; chunks that are late because the machine is busy arrive together. */
  pieces(): AsyncGenerator<string>
  /** Resolves when half of the chunks are sent. */
  readonly half: Promise<void>
  /** Resolves when all are sent. */
  readonly end: Promise<void>
  /** The planned duration, without delays by a page or a busy machine. */
  readonly seconds: number
}

/** Prepares content to be sent once. */
export function createPlaying(content: PageContent): Playing {
  let reachHalf = (): void => {}
  let reachEnd = (): void => {}
  const middle = Math.floor(content.pieces.length / 2)
  return {
    content,
    seconds: content.pieces.length / PIECES_PER_SECOND,
    half: new Promise((resolve) => (reachHalf = resolve)),
    end: new Promise((resolve) => (reachEnd = resolve)),
    async *pieces() {
      const start = performance.now()
      for (const [index, piece] of content.pieces.entries()) {
        const early = start + index * TICK_MS - performance.now()
        if (early > 0) await sleep(early)
        if (index === middle) reachHalf()
        yield piece
      }
      reachEnd()
    },
  }
}
