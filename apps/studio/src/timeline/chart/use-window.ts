import { useCallback, useState } from 'react'
import type { Window } from './chart-layout.ts'

/** The visible part of a run, and its controls. */
export interface Zoom {
  readonly window: Window
  readonly isFit: boolean
  /** Zooms in (a factor below 1) or out around a time. */
  readonly zoom: (factor: number, around?: number) => void
  /** Moves by a part of the visible time. */
  readonly pan: (part: number) => void
  readonly fit: () => void
}

/** Keeps the visible part of a run; all of it at first. */
export function useWindow(extent: number): Zoom {
  const [chosen, setChosen] = useState<Window>()
  const window = chosen ? clampWindow(chosen, extent) : { from: 0, to: extent }
  const change = useCallback(
    (next: (window: Window) => Window) =>
      setChosen((before) => {
        const to = clampWindow(next(before ?? { from: 0, to: extent }), extent)
        return to.from <= 0 && to.to >= extent ? undefined : to
      }),
    [extent],
  )
  const zoom = useCallback(
    (factor: number, around?: number) =>
      change(({ from, to }) => {
        const still = around ?? (from + to) / 2
        return { from: still - (still - from) * factor, to: still + (to - still) * factor }
      }),
    [change],
  )
  const pan = useCallback(
    (part: number) =>
      change(({ from, to }) => ({ from: from + part * (to - from), to: to + part * (to - from) })),
    [change],
  )
  const fit = useCallback(() => setChosen(undefined), [])
  return { window, isFit: chosen === undefined, zoom, pan, fit }
}

/** The smallest visible part of a run. */
const LEAST = 2

/** Moves a window into a run. */
export function clampWindow({ from, to }: Window, extent: number): Window {
  const length = Math.min(extent, Math.max(Math.min(LEAST, extent), to - from))
  const start = Math.min(Math.max(0, from), extent - length)
  return { from: start, to: start + length }
}
