import { useEffect, useRef } from 'react'
import type { RefObject } from 'react'
import { usePendingTools } from 'millrace/react'
import { useStudio } from '../../session/index.ts'
import { isNothingFocused } from '../../ui/index.ts'

/** What asks a person something, while it does. */
const asking = '.question[data-open], .pending-form'
/** Where a person writes. */
const writing = '.composer textarea'

/**
 * Moves the cursor to a question as it arrives, unless someone writes or has scrolled away. The card takes it, not
 * one of its buttons: a key that was meant for something else must not answer. When the buttons go that had the
 * cursor, it goes on to the next question, or to where one writes.
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
    known.current = new Set(pending.map(({ toolUseId }) => toolUseId))
    const isNew = pending.some(({ toolUseId }) => !before.has(toolUseId))
    const cards = contentRef.current?.querySelectorAll<HTMLElement>(asking) ?? []
    if (isNew && follows && !isWriting()) [...cards].at(-1)?.focus({ preventScroll: true })
    if (isNew || pending.length >= before.size || !wasInside.current || !isNothingFocused()) return
    const next = cards[0] ?? document.querySelector<HTMLElement>(writing)
    next?.focus({ preventScroll: cards.length === 0 })
  }, [pending, follows, contentRef, wasInside])
}

/** Whether a question had the cursor last; browsers do not tell when what has it is taken away. */
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

/** An empty field is where the cursor rests; one with text is where someone writes. */
function isWriting(): boolean {
  const { activeElement } = document
  if (activeElement instanceof HTMLTextAreaElement) return activeElement.value !== ''
  return !isNothingFocused()
}
