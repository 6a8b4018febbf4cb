import { type CSSProperties, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { toCount } from '../../text/index.ts'
import { PauseIcon, PlayIcon } from '../../ui/index.ts'
import { endOf, type Run, toStretch } from '../model/index.ts'
import { toLeft, type Window } from './chart-layout.ts'

/** Speeds as multiples of the original. */
const speeds = [1, 4, 16] as const

/** The number of messages per second without known times. */
const MESSAGES_PER_SECOND = 30

interface ScrubberProps {
  readonly run: Run
  /** Window and width of the chart, so that the slider is above the same times. */
  readonly window: Window
  readonly width: number
  /** The time that is shown. */
  readonly at: number
  /** Number of frames that are shown; several may have the same time. */
  readonly count: number
  readonly isPast: boolean
  readonly onMove: (at: number) => void
  /** Called with a number of frames to show. */
  readonly onCount: (count: number) => void
  readonly onNow: () => void
  /** Label of the button for the present. */
  readonly nowLabel: string
}

const frameSteps: Readonly<Record<string, number>> = {
  ArrowRight: 1,
  ArrowUp: 1,
  ArrowLeft: -1,
  ArrowDown: -1,
}

const ends: Readonly<Record<string, number>> = { Home: 0, End: 1 }

const pageSteps: Readonly<Record<string, number>> = { PageUp: 0.1, PageDown: -0.1 }

/** Selects the moment that chat and wire show by dragging, by keys or by playing. */
export function Scrubber(props: ScrubberProps) {
  const { run, window, width, at, count, isPast, onMove, onCount, onNow, nowLabel } = props
  const player = usePlayer(run, at, onMove)
  const end = endOf(run)
  const onKeyDown = (event: KeyboardEvent) => {
    const step = frameSteps[event.key]
    const page = pageSteps[event.key]
    const part = ends[event.key]
    if (step === undefined && page === undefined && part === undefined) return
    event.preventDefault()
    player.stop()
    if (part !== undefined) onMove(part * end)
    else if (page !== undefined) onMove(Math.min(end, Math.max(0, at + page * end)))
    else onCount(run.firstIndex + Math.min(run.times.length, Math.max(0, count + (step ?? 0))))
  }
  const where = `${toMoment(at, run)}, frame ${toCount(count)} of ${toCount(run.times.length)}`
  return (
    <div className="tl-scrubber" role="group" aria-label="The moment that is shown">
      <PlayButtons player={player} />
      <output className="tl-where" title={where}>
        {run.clock === 'time' && `${toMoment(at, run)} · `}
        {toCount(count)} / {toCount(run.times.length)}
      </output>
      <button
        type="button"
        className="button"
        disabled={!isPast}
        onClick={() => {
          player.stop()
          onNow()
        }}
      >
        {nowLabel}
      </button>
      <input
        type="range"
        style={toPlace(at, window, width)}
        min={window.from}
        max={window.to}
        step="any"
        value={at}
        aria-label="Moment"
        aria-valuetext={where}
        onKeyDown={onKeyDown}
        onChange={(event) => {
          player.stop()
          onMove(Number(event.target.value))
        }}
      />
    </div>
  )
}

function PlayButtons({ player }: { readonly player: Player }) {
  return (
    <>
      <button
        type="button"
        className="button tl-play"
        aria-label={player.isPlaying ? 'Pause' : 'Play'}
        title={player.isPlaying ? 'Pause' : 'Play the run'}
        onClick={player.toggle}
      >
        {player.isPlaying ? <PauseIcon /> : <PlayIcon />}
      </button>
      <div className="segmented" role="group" aria-label="Speed">
        {speeds.map((speed) => (
          <button
            key={speed}
            type="button"
            aria-pressed={player.speed === speed}
            onClick={() => player.setSpeed(speed)}
          >
            {speed}×
          </button>
        ))}
      </div>
    </>
  )
}

/** The width of the slider's thumb in pixels; the style sheet has the same. */
const THUMB = 14

/** Places the middle of the thumb above its time. */
function toPlace(at: number, { from, to }: Window, width: number): CSSProperties {
  const left = toLeft(width)
  const part = Math.min(1, Math.max(0, (at - from) / Math.max(1e-6, to - from)))
  const place = { marginLeft: left - THUMB / 2, width: width - left + THUMB }
  return { ...(width > 0 && place), ['--part' as string]: `${part * 100}%` }
}

function toMoment(at: number, { clock }: Run): string {
  return clock === 'time' ? toStretch(at, clock) : 'In order of messages'
}

/** Controls of playing a run. */
interface Player {
  readonly isPlaying: boolean
  readonly speed: number
  readonly setSpeed: (speed: number) => void
  /** Starts, from the beginning if at the end, or stops. */
  readonly toggle: () => void
  readonly stop: () => void
}

/** Plays a run at its original speed or faster. */
function usePlayer(run: Run | undefined, at: number, onMove: (at: number) => void): Player {
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
