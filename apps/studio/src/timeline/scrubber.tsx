import type { KeyboardEvent } from 'react'
import { PauseIcon, PlayIcon } from '../shell/icons.tsx'
import { toCount, toStretch } from './format-figures.ts'
import { endOf } from './timeline.ts'
import type { Run } from './timeline.ts'
import { speeds, usePlayer } from './use-player.ts'
import type { Player } from './use-player.ts'

interface ScrubberProps {
  readonly run: Run
  /** The time that is shown. */
  readonly at: number
  /** How many frames of the run are shown; several may have come at one time. */
  readonly count: number
  readonly isPast: boolean
  readonly onMove: (at: number) => void
  /** Shows what was there after so many frames. */
  readonly onCount: (count: number) => void
  readonly onNow: () => void
  /** What “now” is called. */
  readonly nowLabel: string
}

const frameSteps: Readonly<Record<string, number>> = {
  ArrowRight: 1,
  ArrowUp: 1,
  ArrowLeft: -1,
  ArrowDown: -1,
}

const pageSteps: Readonly<Record<string, number>> = { PageUp: 0.1, PageDown: -0.1 }

/** Chooses the moment that chat and wire show: by dragging, by keys, or by playing the run again. */
export function Scrubber(props: ScrubberProps) {
  const { run, at, count, isPast, onMove, onCount, onNow, nowLabel } = props
  const player = usePlayer(run, at, onMove)
  const end = endOf(run)
  const onKeyDown = (event: KeyboardEvent) => {
    const step = frameSteps[event.key]
    const page = pageSteps[event.key]
    if (step === undefined && page === undefined) return
    event.preventDefault()
    player.stop()
    if (page !== undefined) onMove(Math.min(end, Math.max(0, at + page * end)))
    else onCount(run.firstIndex + Math.min(run.times.length, Math.max(0, count + (step ?? 0))))
  }
  const where = `${toPlace(at, run)}, frame ${toCount(count)} of ${toCount(run.times.length)}`
  return (
    <div className="tl-scrubber" role="group" aria-label="The moment that is shown">
      <PlayButtons player={player} />
      <input
        type="range"
        min={0}
        max={end}
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
      <output className="tl-where" title={where}>
        {run.clock === 'time' && `${toPlace(at, run)} · `}
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
        title={player.isPlaying ? 'Pause' : 'Play the run as it went'}
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

function toPlace(at: number, { clock }: Run): string {
  return clock === 'time' ? toStretch(at, clock) : 'In order of messages'
}
