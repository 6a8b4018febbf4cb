import { useEffect, useRef, useState } from 'react'
import { endOf } from '../model/index.ts'
import type { Run } from '../model/index.ts'

/** Speeds as multiples of the original. */
export const speeds = [1, 4, 16] as const

/** The number of messages per second without known times. */
const MESSAGES_PER_SECOND = 30

/** Controls of playing a run. */
export interface Player {
  readonly isPlaying: boolean
  readonly speed: number
  readonly setSpeed: (speed: number) => void
  /** Starts, from the beginning if at the end, or stops. */
  readonly toggle: () => void
  readonly stop: () => void
}

/** Plays a run at its original speed or faster. */
export function usePlayer(run: Run | undefined, at: number, onMove: (at: number) => void): Player {
  const [isPlaying, setPlaying] = useState(false)
  const [speed, setSpeed] = useState<number>(1)
  const place = useRef(at)

  useEffect(() => {
    if (!isPlaying || !run) return undefined
    const perSecond = run.clock === 'time' ? 1_000 : MESSAGES_PER_SECOND
    let last = performance.now()
    let handle = requestAnimationFrame(function move(now: number) {
      place.current += ((now - last) / 1_000) * perSecond * speed
      last = now
      const end = endOf(run)
      onMove(Math.min(end, place.current))
      if (place.current < end) handle = requestAnimationFrame(move)
      else setPlaying(false)
    })
    return () => cancelAnimationFrame(handle)
  }, [isPlaying, speed, run, onMove])

  const toggle = () => {
    place.current = run && at < endOf(run) ? at : 0
    setPlaying(!isPlaying)
  }
  return { isPlaying, speed, setSpeed, toggle, stop: () => setPlaying(false) }
}
