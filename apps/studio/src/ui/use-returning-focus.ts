import { useEffect, useState } from 'react'

/** Gives the cursor back to what had it, when what has taken it goes. */
export function useReturningFocus(): void {
  const [before] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true })
    },
    [before],
  )
}
