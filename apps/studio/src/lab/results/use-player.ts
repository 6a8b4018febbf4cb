import { useEffect, useRef, useState } from 'react'

/** Speed of playing. */
export interface Speed {
  readonly label: string
  /** Steps per second for a run with a number of steps. */
  readonly rate: (steps: number) => number
}

/** The available speeds. */
export const speeds: readonly Speed[] = [
  { label: '5 steps/s', rate: () => 5 },
  { label: '20 steps/s', rate: () => 20 },
  { label: '100 steps/s', rate: () => 100 },
  { label: 'All in 5 s', rate: (steps) => steps / 5 },
]

/** Controls of playing a run. */
export interface Player {
  readonly isPlaying: boolean
  readonly speed: Speed
  readonly setSpeed: (speed: Speed) => void
  /** Plays, from the beginning if at the end, or pauses. */
  readonly toggle: () => void
  readonly pause: () => void
}

interface PlayerOptions {
  readonly step: number
  readonly lastStep: number
  readonly onStep: (step: number) => void
}

/** Advances step by step over time until the last one. */
export function usePlayer({ step, lastStep, onStep }: PlayerOptions): Player {
  const [isStarted, setStarted] = useState(false)
  const [speed, setSpeed] = useState<Speed>(speeds[1] ?? { label: '', rate: () => 20 })
  const latest = useRef({ step, onStep })
  useEffect(() => {
    latest.current = { step, onStep }
  }, [step, onStep])
  const isPlaying = isStarted && step < lastStep

  useEffect(() => {
    if (!isPlaying) return undefined
    const rate = Math.max(1, speed.rate(lastStep))
    let last: number | undefined
    let due = 0
    const tick = (now: number) => {
      due += ((now - (last ?? now)) * rate) / 1_000
      last = now
      const whole = Math.floor(due)
      due -= whole
      if (whole > 0) latest.current.onStep(Math.min(lastStep, latest.current.step + whole))
      frame = requestAnimationFrame(tick)
    }
    let frame = requestAnimationFrame(tick)
    return () => cancelAnimationFrame(frame)
  }, [isPlaying, speed, lastStep])

  const toggle = () => {
    if (!isPlaying && step >= lastStep) onStep(0)
    setStarted(!isPlaying)
  }
  return { isPlaying, speed, setSpeed, toggle, pause: () => setStarted(false) }
}
