import type { ReactNode } from 'react'
import { useKeptState } from '../../ui/index.ts'

/** State of a collapsible card, and the handler of the browser's toggle event. */
export interface Collapse {
  readonly isOpen: boolean
  readonly onToggle: (isOpen: boolean) => void
}

/** Keeps whether a card is open: the choice of the user, otherwise the default. */
export function useCollapse(isOpenAtFirst: boolean): Collapse {
  const [chosen, setChosen] = useKeptState<boolean | undefined>('card-open', undefined)
  const isOpen = chosen ?? isOpenAtFirst
  const onToggle = (open: boolean) => {
    // Browsers also report changes by the page itself.
    if (open !== isOpen) setChosen(open)
  }
  return { isOpen, onToggle }
}

interface CollapsibleCardProps {
  readonly collapse: Collapse
  readonly summary: ReactNode
  /** The card waits for the user. */
  readonly isPending?: boolean | undefined
  readonly children: ReactNode
}

/** Shows a card that can be collapsed. It uses `details`, which works with keys and with the search of the browser. */
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
