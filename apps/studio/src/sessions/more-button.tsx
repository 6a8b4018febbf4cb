import { useEffect, useRef } from 'react'

interface MoreButtonProps {
  readonly count: number
  readonly isReading: boolean
  /** Reads when it scrolls into view. */
  readonly isAutomatic: boolean
  readonly onMore: () => void
}

/** Reads older sessions on click or when it scrolls into view. */
export function MoreButton({ count, isReading, isAutomatic, onMore }: MoreButtonProps) {
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!isAutomatic || isReading || !button.current) return undefined
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) onMore()
      },
      { rootMargin: '120px' },
    )
    observer.observe(button.current)
    return () => observer.disconnect()
  }, [isAutomatic, isReading, onMore])
  return (
    <button
      ref={button}
      type="button"
      className="button more-sessions"
      aria-disabled={isReading}
      onClick={onMore}
    >
      {isReading ? 'Reading…' : `${count.toLocaleString('en')} more`}
    </button>
  )
}
