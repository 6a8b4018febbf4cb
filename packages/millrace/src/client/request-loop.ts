import { MillraceError } from '../errors/index.ts'
import { exchange } from './exchange.ts'
import { noAnswers } from './outbox.ts'
import { pause } from './pause.ts'
import type { Want } from './outgoing.ts'
import { toRetryDelay } from './retry-delay.ts'
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
  let controller: AbortController | undefined
  let wake = (): void => {}
  let loop: Promise<void> | undefined
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
      loop = undefined
    }
  }

  /** Waits before the next try if the connection was lost, and gives up if the server said no. */
  async function recover(want: Want, thrown: unknown): Promise<void> {
    controller?.abort()
    const snapshot = getSnapshot()
    const { state, attempt } = snapshot.connection
    const error = toSetback(thrown, want, snapshot)
    if (state === 'closed') throw error
    if (error.code === 'connection_lost') {
      if (want === 'tool_results' && state === 'connecting') next = want
      const delayMs = toRetryDelay(attempt, options)
      const retryAt = (options.now ?? Date.now)() + delayMs
      move('waiting', { attempt: attempt + 1, error, retryAt })
      return pause(delayMs, (wakeUp) => (wake = wakeUp))
    }
    next = undefined
    publish(toGivenUp(snapshot, error))
    move('failed', { error })
    throw error
  }

  return {
    start(want, change) {
      if (loop && want === 'run') return quiet(Promise.reject(toConflict()))
      if (next !== 'tool_results') next = want
      publish(change)
      wake()
      return (loop ??= quiet(run()))
    },
    stop() {
      controller?.abort()
      wake()
    },
  }
}

/** A run that cannot be followed any further is shown as failed; its blocks stay as they are, to be read on later. */
function toGivenUp(
  { transcript, prompt }: SessionSnapshot,
  { code, message }: MillraceError,
): Partial<SessionSnapshot> {
  const error = { type: code, code, message, retriable: false }
  const isCut = transcript.status === 'streaming'
  return {
    transcript: isCut ? { ...transcript, status: 'error', error } : transcript,
    prompt: prompt && { ...prompt, state: 'unsent' },
    answers: noAnswers,
  }
}

function toConflict(): MillraceError {
  return new MillraceError('conflict', 'A run is under way.')
}

/** A promise that nobody need wait for: the snapshot tells the same. */
function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}
