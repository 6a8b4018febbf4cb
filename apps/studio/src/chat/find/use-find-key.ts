import { useEffect } from 'react'

/** Opens the page's own search on the keys that browsers have for theirs; pressed again, the browser's opens. */
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

/** Where all is drawn, the browser finds all. */
function isLong(): boolean {
  return document.querySelector('.chat-pane .row-space') !== null
}
