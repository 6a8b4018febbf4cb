import type { Session } from '../client/index.ts'

/**
 * The same session with notices at least so far apart, for pages on which a render costs more than a frame has: the
 * first comes at once, and none is lost. Make it once, outside of components.
 */
export function throttleSession<S extends Session>(session: S, intervalMs: number): S {
  const listeners = new Set<() => void>()
  let unsubscribe: (() => void) | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let isDue = false

  const tell = (): void => {
    isDue = timer !== undefined
    if (isDue) return
    timer = setTimeout(() => {
      timer = undefined
      if (isDue) tell()
    }, intervalMs)
    for (const listener of listeners) listener()
  }
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener)
    unsubscribe ??= session.subscribe(tell)
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
