import { useId, useRef, useState } from 'react'
import type { KeyboardEvent, RefObject } from 'react'

/** A tooltip of an element, shown on hover and focus; Escape closes it. */
export interface Tip<T extends HTMLElement> {
  readonly isShown: boolean
  /** Places the tooltip in the top layer beside the element. */
  readonly place: (tip: HTMLElement | null) => void
  readonly tipId: string
  /** Props of the element. */
  readonly target: {
    readonly ref: RefObject<T | null>
    readonly 'aria-describedby': string | undefined
    readonly onMouseEnter: () => void
    readonly onMouseLeave: () => void
    readonly onFocus: () => void
    readonly onBlur: () => void
    readonly onKeyDown: (event: KeyboardEvent) => void
  }
}

/** The distance to the edges of the page in pixels. */
const EDGE = 12

/** Creates the tooltip of an element. */
export function useTip<T extends HTMLElement>(): Tip<T> {
  const ref = useRef<T>(null)
  const tipId = useId()
  const [isShown, setShown] = useState(false)
  const place = (tip: HTMLElement | null) => {
    if (!tip || !ref.current) return
    tip.showPopover()
    const { left, top, bottom } = ref.current.getBoundingClientRect()
    const { offsetWidth: width, offsetHeight: height } = tip
    const isBelow = top < height + EDGE * 2
    tip.style.left = `${Math.max(EDGE, Math.min(left, innerWidth - width - EDGE))}px`
    tip.style.top = `${isBelow ? bottom + 6 : top - height - 6}px`
  }
  const show = () => setShown(true)
  const hide = () => setShown(false)
  return {
    isShown,
    place,
    tipId,
    target: {
      ref,
      'aria-describedby': isShown ? tipId : undefined,
      onMouseEnter: show,
      onMouseLeave: hide,
      onFocus: show,
      onBlur: hide,
      onKeyDown: ({ key }) => {
        if (key === 'Escape') hide()
      },
    },
  }
}
