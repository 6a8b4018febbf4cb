import { useEffect, useRef } from 'react'
import type { RefObject } from 'react'
import { usePendingTools } from 'millrace/react'
import { useStudio } from '../../session/index.ts'
import { isNothingFocused } from '../../ui/index.ts'

/** Elements that wait for the user. */
const asking = '.question[data-open], .pending-form'
/** The prompt field. */
const writing = '.composer textarea'

/**
 * Focuses a new question unless the user is typing or has scrolled away. The card takes the focus and not a button, so that a key for
 * another element does not answer. When the focused buttons disappear, the focus moves to the next question or to the prompt field.
 */
export function useQuestionFocus(
  contentRef: RefObject<HTMLElement | null>,
  follows: boolean,
): void {
  const { session } = useStudio()
  const pending = usePendingTools(session)
  const wasInside = useWasInside()
  const known = useRef<ReadonlySet<string>>(new Set())
  useEffect(() => {
    const before = known.current
    known.current = new Set(pending.map(({ callId }) => callId))
    const isNew = pending.some(({ callId }) => !before.has(callId))
    const cards = contentRef.current?.querySelectorAll<HTMLElement>(asking) ?? []
    if (isNew && follows && !isWriting()) [...cards].at(-1)?.focus({ preventScroll: true })
    if (isNew || pending.length >= before.size || !wasInside.current || !isNothingFocused()) return
    const next = cards[0] ?? document.querySelector<HTMLElement>(writing)
    next?.focus({ preventScroll: cards.length === 0 })
  }, [pending, follows, contentRef, wasInside])
}

/** Tracks whether a question had the focus; browsers do not report the removal of a focused element. */
function useWasInside(): RefObject<boolean> {
  const wasInside = useRef(false)
  useEffect(() => {
    const onFocus = ({ target }: FocusEvent) => {
      wasInside.current = target instanceof Element && target.closest(asking) !== null
    }
    document.addEventListener('focusin', onFocus)
    return () => document.removeEventListener('focusin', onFocus)
  }, [])
  return wasInside
}

/** Reports whether the user is typing: an empty field does not count. */
function isWriting(): boolean {
  const { activeElement } = document
  if (activeElement instanceof HTMLTextAreaElement) return activeElement.value !== ''
  return !isNothingFocused()
}
