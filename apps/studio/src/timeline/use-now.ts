import { useEffect, useState } from 'react'
import { endOf } from './model/index.ts'
import type { Run } from './model/index.ts'

/** The interval in milliseconds at which open bars grow. */
const TICK_MS = 200

/** Returns the end of a run: its last frame, or the present while it is in progress. */
export function useNow(run: Run, isLive: boolean): number {
  const [time, setTime] = useState(0)
  useEffect(() => {
    if (!isLive) return undefined
    const timer = setInterval(() => setTime(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [isLive])
  const end = endOf(run)
  if (!isLive || run.clock === 'order') return end
  return Math.max(end, time - run.startTime)
}
