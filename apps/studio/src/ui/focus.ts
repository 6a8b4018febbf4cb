import { useEffect, useState } from 'react'

/** Reports whether no element has the focus. */
export function isNothingFocused(): boolean {
  const { activeElement } = document
  return activeElement === null || activeElement === document.body
}

/** Focuses an element when it appears. */
export function focusOnMount(field: HTMLElement | null): void {
  field?.focus()
}

/** Restores the focus when the component is removed. */
export function useRestoreFocus(): void {
  const [before] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true })
    },
    [before],
  )
}
