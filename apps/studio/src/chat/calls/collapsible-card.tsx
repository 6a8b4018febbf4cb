import type { ReactNode } from 'react'
import { useKept } from '../../ui/index.ts'

/** Whether a card is open, and how to tell what the browser has made of it. */
export interface Fold {
  readonly isOpen: boolean
  readonly onToggle: (isOpen: boolean) => void
}

/** A card's fold: what someone chose counts, and before that what suits the moment. */
export function useFold(isOpenAtFirst: boolean): Fold {
  const [chosen, setChosen] = useKept<boolean | undefined>('card-open', undefined)
  const isOpen = chosen ?? isOpenAtFirst
  const onToggle = (open: boolean) => {
    // Browsers tell also of what the page itself has changed, which nobody chose.
    if (open !== isOpen) setChosen(open)
  }
  return { isOpen, onToggle }
}

interface FoldableProps {
  readonly fold: Fold
  readonly summary: ReactNode
  /** Whether somebody has to do something in it. */
  readonly asks?: boolean | undefined
  readonly children: ReactNode
}

/** A card that folds; the browser's own element, so that it works with keys and finding in the page. */
export function Foldable({ fold, summary, asks = false, children }: FoldableProps) {
  return (
    <details
      className="card"
      data-asks={asks || undefined}
      open={fold.isOpen}
      onToggle={(event) => fold.onToggle(event.currentTarget.open)}
    >
      <summary>{summary}</summary>
      <div className="card-body">{children}</div>
    </details>
  )
}
