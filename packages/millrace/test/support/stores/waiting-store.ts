import type { Store } from '../../../src/stores/port/index.ts'

/** The durations of calls. */
export interface WaitingStoreOptions {
  readonly maxDelayMs?: number
  readonly seed?: number
}

/**
 * A store that waits for a timer before and after every call, like one across a network. This exposes code that checks, then awaits, then
 * acts. The delays are the same for the same seed.
 */
export function createWaitingStore(
  store: Store,
  { maxDelayMs = 6, seed = 1 }: WaitingStoreOptions = {},
): Store {
  let state = seed
  const pause = (): Promise<void> => {
    // The generator of Numerical Recipes, which is sufficient for the order of a few timers.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    const ms = (state / 2 ** 32) * maxDelayMs
    return new Promise((resolve) => setTimeout(resolve, ms))
  }
  const slowly = async <T>(call: () => Promise<T>): Promise<T> => {
    await pause()
    try {
      return await call()
    } finally {
      await pause()
    }
  }
  return {
    ...store,
    open: (...given) => slowly(() => store.open(...given)),
    info: (session) => slowly(() => store.info(session)),
    append: (append) => slowly(() => store.append(append)),
    read: (session, after, limit) => slowly(() => store.read(session, after, limit)),
    wait: (session, after, signal) => slowly(() => store.wait(session, after, signal)),
    list: (range) => slowly(() => store.list(range)),
    renew: (session, epoch, lease) => slowly(() => store.renew(session, epoch, lease)),
    leases: (limit) => slowly(() => store.leases(limit)),
  }
}
