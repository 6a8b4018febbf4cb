import { useEffect, useRef } from 'react'
import { decodeLabAddress, encodeLabAddress, hasView } from './settings/index.ts'
import type { LabView } from './settings/index.ts'

/** The delay before the address changes; browsers allow some hundred changes a minute. */
const SETTLE_MS = 300

/** Writes the view into the page's address, and shows the view of an address that the user enters. */
export function useLabAddress(
  view: LabView,
  onView: (view: LabView) => void,
  isShown: boolean,
): void {
  const latest = useRef(view)

  useEffect(() => {
    latest.current = view
    if (!isShown) return undefined
    const timer = setTimeout(() => writeAddress(view), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [view, isShown])

  useEffect(() => {
    if (!isShown) return undefined
    const onHashChange = () => {
      if (hasView(location.hash)) onView(decodeLabAddress(location.hash, latest.current))
      else if (location.hash === '#lab') writeAddress(latest.current)
    }
    addEventListener('hashchange', onHashChange)
    return () => removeEventListener('hashchange', onHashChange)
  }, [isShown, onView])
}

function writeAddress(view: LabView): void {
  const { hash } = encodeLabAddress(view)
  if (location.hash !== hash) history.replaceState(null, '', hash)
}
