import type { ReactNode } from 'react'
import type { Row } from './row-plan.ts'
import { useRowWindow } from './use-row-window.ts'

interface RowListProps {
  /** The agent of the rows. */
  readonly agent: string
  readonly rows: readonly Row[]
  readonly children: (row: Row) => ReactNode
}

/** Draws the rows near the view, and empty space instead of the others. */
export function RowList({ agent, rows, children }: RowListProps) {
  const { listRef, drawn, heightOf, onFocus, onBlur } = useRowWindow(agent, rows)
  const items: ReactNode[] = []
  let end = 0
  const leaveSpace = (to: number) => {
    if (to > end) items.push(<Space key={`space-${items.length}`} height={heightOf(end, to)} />)
  }
  for (const index of drawn) {
    const row = rows[index]
    if (!row) break
    leaveSpace(index)
    items.push(<RowBox key={row.key} row={row} content={children(row)} />)
    end = index + 1
  }
  leaveSpace(rows.length)
  return (
    <div ref={listRef} className="run" onFocus={onFocus} onBlur={onBlur}>
      {items}
    </div>
  )
}

function RowBox({ row: { key, kind, above }, content }: { row: Row; content: ReactNode }) {
  return (
    <div className="row" data-row={key} data-kind={kind} data-above={above}>
      {content}
    </div>
  )
}

function Space({ height }: { readonly height: number }) {
  return <div className="row-space" style={{ height }} aria-hidden="true" />
}
