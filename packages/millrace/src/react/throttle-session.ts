import type { Session } from '../client/index.ts'

/**
 * Returns the session with notifications at least this far apart, for pages whose renders take longer than a frame. The first notification
 * is immediate, and none is lost. Call it once, outside of components.
 */
export function throttleSession<S extends Session>(session: S, intervalMs: number): S {
  const listeners = new Set<() => void>()
  let unsubscribe: (() => void) | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let isDue = false

  const notify = (): void => {
    isDue = timer !== undefined
    if (isDue) return
    timer = setTimeout(() => {
      timer = undefined
      if (isDue) notify()
    }, intervalMs)
    for (const listener of listeners) listener()
  }
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener)
    unsubscribe ??= session.subscribe(notify)
    return () => {
      listeners.delete(listener)
      if (listeners.size > 0) return
      clearTimeout(timer)
      unsubscribe?.()
      timer = unsubscribe = undefined
    }
  }
  return { ...session, subscribe }
}
