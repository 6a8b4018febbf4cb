import type { ReactNode } from 'react'
import { useKeptState } from '../../ui/index.ts'

/** Whether a card is open, and how to tell what the browser has made of it. */
export interface Collapse {
  readonly isOpen: boolean
  readonly onToggle: (isOpen: boolean) => void
}

/** A card's collapse: what someone chose counts, and before that what suits the moment. */
export function useCollapse(isOpenAtFirst: boolean): Collapse {
  const [chosen, setChosen] = useKeptState<boolean | undefined>('card-open', undefined)
  const isOpen = chosen ?? isOpenAtFirst
  const onToggle = (open: boolean) => {
    // Browsers tell also of what the page itself has changed, which nobody chose.
    if (open !== isOpen) setChosen(open)
  }
  return { isOpen, onToggle }
}

interface CollapsibleCardProps {
  readonly collapse: Collapse
  readonly summary: ReactNode
  /** Whether somebody has to do something in it. */
  readonly isPending?: boolean | undefined
  readonly children: ReactNode
}

/** A card that folds; the browser's own element, so that it works with keys and finding in the page. */
export function CollapsibleCard({
  collapse,
  summary,
  isPending = false,
  children,
}: CollapsibleCardProps) {
  return (
    <details
      className="card"
      data-asks={isPending || undefined}
      open={collapse.isOpen}
      onToggle={(event) => collapse.onToggle(event.currentTarget.open)}
    >
      <summary>{summary}</summary>
      <div className="card-body">{children}</div>
    </details>
  )
}
