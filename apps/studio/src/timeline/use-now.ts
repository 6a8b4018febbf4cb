import { useEffect, useState } from 'react'
import { endOf } from './model/index.ts'
import type { Run } from './model/index.ts'

/** How often bars grow that nothing is told of, in milliseconds. */
const TICK_MS = 200

/** How far a run is: its last frame, or, while it goes on, the time that has passed. */
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
