import { useEffect } from 'react'

/** Opens the search of the page by the browser's shortcut; pressed again, it opens that of the browser. */
export function useFindKey(isOpen: boolean, open: () => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isFind = event.key === 'f' && (event.ctrlKey || event.metaKey) && !event.shiftKey
      if (!isFind || event.altKey || isOpen || !isLong()) return
      event.preventDefault()
      open()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [isOpen, open])
}

/** Reports whether some rows are not drawn; otherwise the search of the browser finds everything. */
function isLong(): boolean {
  return document.querySelector('.chat-pane .row-space') !== null
}
