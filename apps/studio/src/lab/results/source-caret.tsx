import { useLayoutEffect, useRef } from 'react'

/** Room that is left above and below the caret, in pixels. */
const MARGIN = 40

/** Marks the place that has been fed up to, and brings it into view when it appears there. */
export function SourceCaret() {
  const caret = useRef<HTMLSpanElement>(null)
  useLayoutEffect(() => reveal(caret.current), [])
  return <span ref={caret} className="source-caret" />
}

/** Scrolls the text, and nothing around it. */
function reveal(caret: HTMLElement | null): void {
  const scroll = caret?.closest('pre')
  if (!caret || !scroll) return
  const view = scroll.getBoundingClientRect()
  const place = caret.getBoundingClientRect()
  if (place.top < view.top + MARGIN) scroll.scrollTop += place.top - view.top - MARGIN
  else if (place.bottom > view.bottom - MARGIN) {
    scroll.scrollTop += place.bottom - view.bottom + MARGIN
  }
}
