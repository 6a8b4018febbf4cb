import { useEffect, useMemo, useState } from 'react'
import type { ReactNode } from 'react'

/** Longer code is shown without colours. */
const MAX_LENGTH = 20_000

type Highlight = (code: string, language: string) => ReactNode

/** What colours code, once it was loaded. */
let loaded: Highlight | undefined

async function load(): Promise<Highlight> {
  return (loaded ??= (await import('./highlight.tsx')).highlight)
}

/** The code with its colours, or undefined without; at once if it can be, since to draw it twice is to lay out twice. */
export function useHighlight(code: string, language: string, isWhole: boolean): ReactNode {
  const isWanted = isWhole && language !== '' && code.length <= MAX_LENGTH
  const [loadedLater, setLoadedLater] = useState<Highlight>()
  const highlight = loaded ?? loadedLater
  useEffect(() => {
    if (!isWanted || highlight) return undefined
    let isCurrent = true
    load().then(
      (found) => isCurrent && setLoadedLater(() => found),
      () => {},
    )
    return () => {
      isCurrent = false
    }
  }, [isWanted, highlight])
  return useMemo(
    () => (isWanted && highlight ? highlightSafely(highlight, code, language) : undefined),
    [isWanted, highlight, code, language],
  )
}

/** Without its colours the code is still there. */
function highlightSafely(highlight: Highlight, code: string, language: string): ReactNode {
  try {
    return highlight(code, language)
  } catch {
    return undefined
  }
}
