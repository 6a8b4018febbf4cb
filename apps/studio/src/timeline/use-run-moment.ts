import { useCallback, useSyncExternalStore } from 'react'
import { useStudio } from '../session/index.ts'
import { countAt, endOf, timeAt } from './model/index.ts'
import type { Run } from './model/index.ts'

/** The moment that chat and wire show, as a time of a run. */
export interface RunMoment {
  /** Undefined for the present and for a moment of another run. */
  readonly at: number | undefined
  /** Number of frames of the run that are shown. */
  readonly count: number
  readonly isPast: boolean
  readonly setTime: (at: number) => void
  readonly setCount: (count: number) => void
  readonly setNow: () => void
}

/** Tracks and changes the selected moment; the end of the last run is the present. */
export function useRunMoment(run: Run, isLast: boolean): RunMoment {
  const { moment, moments } = useStudio()
  const count = useSyncExternalStore(moment.subscribe, moment.get)
  const setNow = useCallback(() => moment.set(undefined), [moment])
  const setCount = useCallback(
    (next: number) => {
      const end = run.firstIndex + run.times.length
      const isNow = isLast && next >= end
      moment.set(isNow ? undefined : Math.max(moments.earliest(), Math.min(end, next)))
    },
    [moment, moments, run, isLast],
  )
  const setTime = useCallback(
    (at: number) => setCount(at >= endOf(run) ? Infinity : countAt(run, Math.max(0, at))),
    [run, setCount],
  )
  const at = count === undefined ? undefined : timeAt(run, count)
  const inRun = at === undefined || count === undefined ? run.times.length : count - run.firstIndex
  return { at, count: inRun, isPast: count !== undefined, setTime, setCount, setNow }
}
