import type { Session } from '../client/index.ts'

/** How often a hidden page looks at what came: nobody sees it, but titles and notices may follow it. */
const HIDDEN_DELAY_MS = 250

type Subscribe = Session['subscribe']
type Teller = Pick<Session, 'subscribe'>

const stores = new WeakMap<Teller, Subscribe>()

/**
 * The session's `subscribe`, slowed to at most one notice for each animation frame. All components share one
 * schedule, so that a frame is rendered once whatever the number of hooks.
 */
export function frameSubscribe(session: Teller): Subscribe {
  let subscribe = stores.get(session)
  if (!subscribe) stores.set(session, (subscribe = createFrameSubscribe(session)))
  return subscribe
}

function createFrameSubscribe(session: Teller): Subscribe {
  const listeners = new Set<() => void>()
  let cancel: (() => void) | undefined
  let unsubscribe: (() => void) | undefined

  const notify = (): void => {
    cancel = undefined
    for (const listener of listeners) listener()
  }
  const schedule = (): void => {
    cancel ??= nextFrame(notify)
  }
  return (listener) => {
    listeners.add(listener)
    unsubscribe ??= session.subscribe(schedule)
    return () => {
      listeners.delete(listener)
      if (listeners.size > 0) return
      cancel?.()
      unsubscribe?.()
      cancel = unsubscribe = undefined
    }
  }
}

/** Calls back at the next frame, or soon where none is drawn; returns how to take it back. */
function nextFrame(callback: () => void): () => void {
  const isVisible = typeof document === 'object' && document.visibilityState === 'visible'
  const handle = isVisible ? requestAnimationFrame(() => tell()) : 0
  // A page that is hidden now draws no frame that it was asked for before.
  const timer = setTimeout(() => tell(), HIDDEN_DELAY_MS)
  const takeBack = (): void => {
    clearTimeout(timer)
    if (isVisible) cancelAnimationFrame(handle)
  }
  const tell = (): void => {
    takeBack()
    callback()
  }
  return takeBack
}
