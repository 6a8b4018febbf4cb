import { useEffect, useRef, useState } from 'react'
import type { FocusEvent, RefObject } from 'react'
import type { Row } from './row-plan.ts'
import { createRowWindow } from './row-window.ts'
import type { RowRange, RowWindow } from './row-window.ts'
import { useScrollView } from './scroll-view.ts'
import { useDrawnRange } from './use-drawn-range.ts'
import { placeOf } from './visible-span.ts'

/** Lists up to this length are drawn completely. */
const SHORT = 40

/** Rows of a list to draw. */
export interface DrawnRows {
  readonly listRef: RefObject<HTMLDivElement | null>
  /** Positions in order. */
  readonly drawn: readonly number[]
  /** Returns the height of the rows between two positions. */
  readonly heightOf: (from: number, to: number) => number
  readonly onFocus: (event: FocusEvent) => void
  readonly onBlur: () => void
}

/** Finds the rows near the view. The row with the focus stays drawn. */
export function useRowWindow(agent: string, rows: readonly Row[]): DrawnRows {
  const listRef = useRef<HTMLDivElement>(null)
  const { scrollRef } = useScrollView()
  const [rowWindow] = useState(createRowWindow)
  const [heldKey, setHeldKey] = useState('')
  rowWindow.sync(rows)
  const isLong = rows.length > SHORT
  // The end of a long list is read first.
  const first = { from: isLong ? rows.length - SHORT : 0, to: rows.length }
  const { range, updateRange } = useDrawnRange({ rowWindow, listRef, scrollRef, isLong, first })
  useRowFinder(agent, rows, rowWindow, listRef, updateRange)
  return {
    listRef,
    drawn: listDrawn(isLong ? range : first, rows.length, rowWindow.find(heldKey)),
    heightOf: (from, to) => rowWindow.heights.offsetOf(to) - rowWindow.heights.offsetOf(from),
    onFocus: ({ target }) => setHeldKey(rowOf(target, listRef.current)?.dataset['row'] ?? ''),
    onBlur: () => setHeldKey(''),
  }
}

/** Registers the list, so that other components can scroll to its blocks. */
function useRowFinder(
  agent: string,
  rows: readonly Row[],
  { heights }: RowWindow,
  listRef: RefObject<HTMLElement | null>,
  updateRange: () => void,
): void {
  const { scrollRef, lists } = useScrollView()
  useEffect(() => {
    // The prompt is before the first block.
    const find = (position: number): number =>
      Math.max(
        0,
        rows.findLastIndex(({ key, at }) => key.startsWith('block-') && at <= position),
      )
    lists.set(agent, {
      reveal(position) {
        const list = listRef.current
        const scroll = scrollRef.current
        if (!list || !scroll) return
        const offset = heights.offsetOf(find(position))
        scroll.scrollTop += placeOf(list, scroll) + offset - scroll.clientHeight / 4
        updateRange()
      },
      rowOf(position) {
        const children = [...(listRef.current?.children ?? [])]
        const key = rows[find(position)]?.key
        const row = children.find(
          (child) => child instanceof HTMLElement && child.dataset['row'] === key,
        )
        return row instanceof HTMLElement ? row : undefined
      },
    })
    return () => void lists.delete(agent)
  })
}

/** Lists the positions to draw; at least some at the end of a list that became shorter. */
function listDrawn(range: RowRange, length: number, held: number): number[] {
  const from = Math.min(range.from, Math.max(0, length - SHORT / 2))
  const to = Math.min(range.to, length)
  const drawn: number[] = []
  for (let index = Math.max(0, from); index < to; index++) drawn.push(index)
  if (held >= 0 && held < (drawn[0] ?? 0)) drawn.unshift(held)
  else if (held > (drawn.at(-1) ?? -1)) drawn.push(held)
  return drawn
}

/** Returns the row of this list that contains an element; lists are nested in rows. */
function rowOf(element: Element, list: HTMLElement | null): HTMLElement | undefined {
  for (let each: Element | null = element; each && each !== list; each = each.parentElement) {
    if (each.parentElement === list && each instanceof HTMLElement) return each
  }
  return undefined
}
