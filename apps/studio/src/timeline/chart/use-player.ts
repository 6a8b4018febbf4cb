import { useEffect, useRef, useState } from 'react'
import { endOf } from '../model/index.ts'
import type { Run } from '../model/index.ts'

/** How many times as fast as it was. */
export const speeds = [1, 4, 16] as const

/** Where times are not known, so many messages are shown in a second. */
const MESSAGES_PER_SECOND = 30

/** How a run is played. */
export interface Player {
  readonly isPlaying: boolean
  readonly speed: number
  readonly setSpeed: (speed: number) => void
  /** Starts, from the beginning if the end is shown, or stops. */
  readonly toggle: () => void
  readonly stop: () => void
}

/** Moves through a run as it went, or faster. */
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
