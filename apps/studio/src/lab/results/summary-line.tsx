import { useEffect, useState } from 'react'
import { measureParsing } from '../run/index.ts'
import type { LabRun, LabStep } from '../run/index.ts'

interface SummaryLineProps {
  readonly run: LabRun
  readonly moment: LabStep
  /** The number of segments that have started. */
  readonly started: number
  readonly isPlaying: boolean
}

/** Shows the figures of a run. */
export function SummaryLine({ run, moment, started, isPlaying }: SummaryLineProps) {
  const held = moment.fed - moment.decided
  const total = run.text.length
  return (
    <dl className="lab-summary" aria-live={isPlaying ? 'off' : 'polite'}>
      <Figure name="fed" value={moment.fed} of={total} />
      <Figure name="held back" value={held} isMarked={held > 0} />
      <Figure name="events" value={moment.events} of={run.events.length} />
      <Figure name="segments" value={started} of={run.segments.length} />
      <ParsingTime run={run} />
    </dl>
  )
}

interface FigureProps {
  readonly name: string
  readonly value: number
  readonly of?: number
  readonly isMarked?: boolean
}

function Figure({ name, value, of, isMarked = false }: FigureProps) {
  const most = (of ?? value).toLocaleString('en')
  return (
    <div data-marked={isMarked || undefined}>
      <dt>{name}</dt>
      <dd style={{ minWidth: `${most.length}ch` }}>{value.toLocaleString('en')}</dd>
      {of !== undefined && <dd className="muted">of {most}</dd>}
    </div>
  )
}

/** The delay before the measurement, so that the page can draw the run first. */
const REST_MS = 400

function ParsingTime({ run }: { readonly run: LabRun }) {
  const [microseconds, setMicroseconds] = useState<number>()
  useEffect(() => {
    const timer = setTimeout(() => setMicroseconds(measureParsing(run.settings)), REST_MS)
    return () => clearTimeout(timer)
  }, [run])
  const chunks = (run.steps.length - 2).toLocaleString('en')
  return (
    <div title={`The whole text in ${chunks} chunks, measured in this browser`} aria-live="off">
      <dt>to parse all</dt>
      <dd>{microseconds === undefined ? '…' : toDuration(microseconds)}</dd>
    </div>
  )
}

function toDuration(microseconds: number): string {
  // The clocks of browsers are not more precise.
  if (microseconds < 100) return 'under 0.1 ms'
  return `${(microseconds / 1_000).toFixed(1)} ms`
}
