import type { Session } from '../client/index.ts'
import { createListeners } from '../streams/index.ts'

/**
 * Returns the session with notifications at least this far apart, for pages whose renders take longer than a frame. The first notification
 * is immediate, and none is lost. Call it once, outside of components.
 */
export function throttleSession<S extends Session>(session: S, intervalMs: number): S {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isDue = false

  const notify = (): void => {
    isDue = timer !== undefined
    if (isDue) return
    timer = setTimeout(() => {
      timer = undefined
      if (isDue) notify()
    }, intervalMs)
    listeners.notify()
  }
  const listeners = createListeners(() => {
    const unsubscribe = session.subscribe(notify)
    return () => {
      clearTimeout(timer)
      timer = undefined
      unsubscribe()
    }
  })
  return { ...session, subscribe: listeners.subscribe }
}
