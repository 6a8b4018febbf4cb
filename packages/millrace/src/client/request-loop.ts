import { MillraceError } from '../errors/index.ts'
import { exchange } from './exchange.ts'
import { isOffline, pause } from './network.ts'
import { noAnswers } from './outbox.ts'
import type { Want } from './outgoing.ts'
import type { SessionOptions, SessionSnapshot } from './session.ts'
import { toSetback } from './setback.ts'
import type { SnapshotStore } from './snapshot-store.ts'

/** Turns what is wanted into requests, one at a time, until nothing is wanted any more. */
export interface RequestLoop {
  /** Publishes a change and starts the loop, or ends its wait for the next try; settles with the loop. */
  readonly start: (want: Want, change?: Partial<SessionSnapshot>) => Promise<void>
  /** Aborts what is under way. */
  readonly stop: () => void
}

/** Creates the loop of a session. */
export function createRequestLoop(
  id: string,
  options: SessionOptions,
  store: SnapshotStore,
): RequestLoop {
  const { getSnapshot, publish, move } = store
  const { now = Date.now } = options
  let controller = new AbortController()
  let wake = (): void => {}
  let isRunning = false
  let loop = Promise.resolve()
  let next: Want | undefined

  async function run(): Promise<void> {
    try {
      while (next) {
        const want = next
        next = 'stream' // whatever becomes of the request, its stream is to be read to the end
        controller = new AbortController()
        try {
          await exchange(id, options, store, want, controller)
          if (next === 'stream') next = undefined
          move('idle', { attempt: 0 })
        } catch (thrown) {
          await recover(want, thrown)
        }
      }
    } finally {
      isRunning = false
    }
  }

  /** Waits before the next try if the connection was lost, and gives up if the server said no. */
  async function recover(want: Want, thrown: unknown): Promise<void> {
    controller.abort()
    const snapshot = getSnapshot()
    const { connection, prompt } = snapshot
    const { error, delayMs } = toSetback(thrown, want, options, snapshot)
    if (connection.state === 'closed') throw error
    if (delayMs !== undefined) {
      if (want === 'tool_results' && connection.state === 'connecting') next = want
      const retryAt = now() + delayMs
      const change = { attempt: connection.attempt + 1, error, retryAt }
      move(isOffline() ? 'offline' : 'waiting', change)
      return pause(delayMs, (wakeUp) => (wake = wakeUp))
    }
    next = undefined
    publish({ prompt: prompt && { ...prompt, state: 'unsent' }, answers: noAnswers })
    move('failed', { error })
    throw error
  }

  return {
    start(want, change) {
      if (isRunning && want === 'run') {
        return quiet(Promise.reject(new MillraceError('conflict', 'A run is under way.')))
      }
      if (next !== 'tool_results') next = want
      publish({ ...change })
      wake()
      if (!isRunning) {
        isRunning = true
        loop = quiet(run())
      }
      return loop
    },
    stop() {
      controller.abort()
      wake()
    },
  }
}

/** A promise that nobody need wait for: the snapshot tells the same. */
function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}
