import type { Window } from './chart-layout.ts'

/** The smallest part of a run that is shown. */
const LEAST = 2

/** The nearest window that lies within a run. */
export function clampWindow({ from, to }: Window, extent: number): Window {
  const length = Math.min(extent, Math.max(Math.min(LEAST, extent), to - from))
  const start = Math.min(Math.max(0, from), extent - length)
  return { from: start, to: start + length }
}
