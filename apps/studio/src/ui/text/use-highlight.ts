import { useEffect, useMemo, useState } from 'react'
import type { ReactNode } from 'react'

/** Longer code is not highlighted. */
const MAX_LENGTH = 20_000

type Highlight = (code: string, language: string) => ReactNode

/** The highlighter, once it is loaded. */
let loaded: Highlight | undefined

async function load(): Promise<Highlight> {
  return (loaded ??= (await import('./highlight.tsx')).highlight)
}

/** Returns highlighted code, or undefined; synchronously if possible, which saves a second layout. */
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

/** Returns undefined if highlighting fails; the code is then shown without it. */
function highlightSafely(highlight: Highlight, code: string, language: string): ReactNode {
  try {
    return highlight(code, language)
  } catch {
    return undefined
  }
}
