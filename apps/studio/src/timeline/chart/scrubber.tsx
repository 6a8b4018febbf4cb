import type { CSSProperties, KeyboardEvent } from 'react'
import { toCount } from '../../text/index.ts'
import { PauseIcon, PlayIcon } from '../../ui/index.ts'
import { endOf, toStretch } from '../model/index.ts'
import type { Run } from '../model/index.ts'
import { toLeft } from './chart-layout.ts'
import type { Window } from './chart-layout.ts'
import { speeds, usePlayer } from './use-player.ts'
import type { Player } from './use-player.ts'

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
