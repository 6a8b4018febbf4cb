import { useEffect, useState } from 'react'

/** Tells whether the cursor is nowhere, so that it can be put somewhere. */
export function isNothingFocused(): boolean {
  const { activeElement } = document
  return activeElement === null || activeElement === document.body
}

/** Puts the cursor into a field as it appears, for those who have just asked for it. */
export function focusOnMount(field: HTMLElement | null): void {
  field?.focus()
}

/** Gives the cursor back to what had it, when what has taken it goes. */
export function useRestoreFocus(): void {
  const [before] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true })
    },
    [before],
  )
}
