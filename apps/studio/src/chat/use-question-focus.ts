import { useEffect, useRef } from 'react'
import type { RefObject } from 'react'
import { usePendingTools } from 'millrace/react'
import { useStudio } from '../session/studio-context.ts'

/** What asks a person something, while it does. */
const asking = '.question[data-open], .pending-form'

/**
 * Moves the cursor to a question as it arrives, unless someone writes or has scrolled away. The card takes it, not
 * one of its buttons: a key that was meant for something else must not answer.
 */
export function useQuestionFocus(
  contentRef: RefObject<HTMLElement | null>,
  follows: boolean,
): void {
  const { session } = useStudio()
  const pending = usePendingTools(session)
  const known = useRef<ReadonlySet<string>>(new Set())
  useEffect(() => {
    const before = known.current
    known.current = new Set(pending.map(({ toolUseId }) => toolUseId))
    const isNew = pending.some(({ toolUseId }) => !before.has(toolUseId))
    if (!isNew || !follows || isWriting()) return
    const cards = contentRef.current?.querySelectorAll<HTMLElement>(asking)
    ;[...(cards ?? [])].at(-1)?.focus({ preventScroll: true })
  }, [pending, follows, contentRef])
}

/** An empty field is where the cursor rests; one with text is where someone writes. */
function isWriting(): boolean {
  const { activeElement } = document
  if (activeElement instanceof HTMLTextAreaElement) return activeElement.value !== ''
  return activeElement !== null && activeElement !== document.body
}
