import { useCallback, useMemo, useSyncExternalStore } from 'react'
import type { Session, SessionSnapshot } from '../client/index.ts'
import { createListeners } from '../streams/index.ts'

/**
 * Returns a part of a session's snapshot, updated at most once for each animation frame. The component renders again when the part is
 * another object.
 */
export function useSession<T>(session: Session, select: (snapshot: SessionSnapshot) => T): T {
  const subscribe = useCallback(
    (listener: () => void) => frameSubscribe(session)(listener),
    [session],
  )
  // A selector that returns a new object for every call would cause endless renders.
  const getPart = useMemo(() => remember(session, select), [session, select])
  return useSyncExternalStore(subscribe, getPart, getPart)
}

function remember<T>(session: Session, select: (snapshot: SessionSnapshot) => T): () => T {
  let last: { readonly snapshot: SessionSnapshot; readonly part: T } | undefined
  return () => {
    const snapshot = session.getSnapshot()
    if (last?.snapshot !== snapshot) last = { snapshot, part: select(snapshot) }
    return last.part
  }
}

/** Update interval of a hidden page. Its title and notifications may depend on the session. */
const HIDDEN_DELAY_MS = 250

type Subscribe = Session['subscribe']
type Subscribable = Pick<Session, 'subscribe'>

const stores = new WeakMap<Subscribable, Subscribe>()

/**
 * Returns the session's `subscribe`, limited to one notification for each animation frame. All components share one schedule, so that a
 * frame renders once regardless of the number of hooks.
 */
export function frameSubscribe(session: Subscribable): Subscribe {
  let subscribe = stores.get(session)
  if (!subscribe) stores.set(session, (subscribe = createFrameSubscribe(session)))
  return subscribe
}

function createFrameSubscribe(session: Subscribable): Subscribe {
  let cancel: (() => void) | undefined
  const notify = (): void => {
    cancel = undefined
    listeners.notify()
  }
  const listeners = createListeners(() => {
    const unsubscribe = session.subscribe(() => (cancel ??= nextFrame(notify)))
    return () => {
      cancel?.()
      cancel = undefined
      unsubscribe()
    }
  })
  return listeners.subscribe
}

/** Calls back at the next frame, or after a delay if none is drawn; returns a function that cancels it. */
function nextFrame(callback: () => void): () => void {
  const isVisible = typeof document === 'object' && document.visibilityState === 'visible'
  const handle = isVisible ? requestAnimationFrame(() => run()) : 0
  // A page that becomes hidden does not draw a requested frame.
  const timer = setTimeout(() => run(), HIDDEN_DELAY_MS)
  const cancel = (): void => {
    clearTimeout(timer)
    if (isVisible) cancelAnimationFrame(handle)
  }
  const run = (): void => {
    cancel()
    callback()
  }
  return cancel
}
