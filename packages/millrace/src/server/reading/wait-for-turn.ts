import { inFreeTurn } from '../../streams/index.ts'

let last: Promise<void> = Promise.resolve()

const freeTurn = (): Promise<void> => new Promise((resolve) => inFreeTurn(resolve))

/**
 * Waits for the next turn of the event loop that is free: readers that catch up read one page a turn, one reader after
 * the other, so that new connections, health checks and live runs are served between any two of them.
 */
export function waitForTurn(): Promise<void> {
  last = last.then(freeTurn)
  return last
}
