import { useCallback, useMemo, useSyncExternalStore } from 'react'
import type { Session, SessionSnapshot } from '../client/index.ts'
import { frameSubscribe } from './frame-store.ts'

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
