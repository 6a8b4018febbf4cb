import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { useAgent } from 'millrace/react'
import { OpeningNotice } from '../recordings/index.ts'
import { type AgentStyles, toAgentStyles, useAgentStyles, useStudio } from '../session/index.ts'
import { toCount } from '../text/index.ts'
import { useWidth } from '../ui/index.ts'
import { BarTable } from './bar-table.tsx'
import { Legend, Scrubber, TimelineChart, useWindow, type Zoom } from './chart/index.ts'
import { Comparison } from './comparison.tsx'
import { ExportMenu } from './export/index.ts'
import { FigureTables } from './figure-tables.tsx'
import { createTimelineFeed, endOf, type Run, runName } from './model/index.ts'
import { OtherPicker, RunPicker, RunSummary, ZoomButtons } from './timeline-head.tsx'
import { findOther, type OtherRun, type OtherRunChoice, useOtherRun } from './use-other-run.ts'
import { type RunMoment, useRunMoment } from './use-run-moment.ts'
import './timeline.css'
import './timeline-chart.css'
import './timeline-tables.css'

/** The interval in milliseconds at which open bars grow. */
const TICK_MS = 200

/** Shows the runs of the session as bars in lanes, and selects past moments. */
export function TimelineView({ isShown }: { readonly isShown: boolean }) {
  const { frames, loadTimes } = useStudio()
  const [feed] = useState(() => createTimelineFeed(frames))
  const { runs, part } = useSyncExternalStore(
    isShown ? feed.subscribe : subscribeToNothing,
    feed.getSnapshot,
  )
  const [areTimesKnown, setTimesKnown] = useState(false)
  useEffect(() => {
    void loadTimes().then(() => setTimesKnown(true))
  }, [loadTimes])
  const [chosen, setChosen] = useState<number>()
  const choice = useOtherRun()
  const run = runs.find(({ number }) => number === chosen) ?? runs.at(-1)
  if (!run) return <EmptyTimeline isReading={part < 1} />
  return (
    <RunView
      key={run.number}
      {...{ run, runs, part, areTimesKnown, choice }}
      onRun={({ number }) => setChosen(number === runs.at(-1)?.number ? undefined : number)}
    />
  )
}

const subscribeToNothing = () => () => {}

function EmptyTimeline({ isReading }: { readonly isReading: boolean }) {
  return (
    <div className="tl-empty" role="status">
      <h2>Timeline</h2>
      <p>
        {isReading
          ? 'Reading the frames…'
          : 'There are no runs yet. Ask something: each agent gets a lane with bars for its text, its tools and its waiting. Then drag the moment back to see chat and wire as they were.'}
      </p>
    </div>
  )
}

interface RunViewProps {
  readonly run: Run
  readonly runs: readonly Run[]
  readonly part: number
  readonly areTimesKnown: boolean
  readonly choice: OtherRunChoice
  readonly onRun: (run: Run) => void
}

function RunView({ run, runs, part, areTimesKnown, choice, onRun }: RunViewProps) {
  const { session, frames, fileName, readOnly } = useStudio()
  const { connection } = useAgent(session)
  const isLive = run === runs.at(-1) && !run.isOver && connection.state === 'streaming' && !readOnly
  const now = useNow(run, isLive)
  const chosen = findOther(choice, runs)
  const other = chosen?.run === run ? undefined : chosen
  const extent = Math.max(1, now, other ? endOf(other.run) : 0)
  const zoom = useWindow(extent)
  const known = useAgentStyles()
  const agentStyles = useRunStyles(run, known)
  const otherStyles = useRunStyles(other?.run, known)
  const moment = useRunMoment(run, run === runs.at(-1))
  const body = useRef<HTMLDivElement>(null)
  const [content, width] = useWidth()
  const names = [runName(run), other?.name ?? ''] as const
  return (
    <>
      <header className="tl-head">
        <h2>Timeline</h2>
        <RunPicker runs={runs} run={run} onRun={onRun} />
        <RunSummary run={run} />
        <OtherPicker {...{ runs, run, other, choice }} />
        <ZoomButtons zoom={zoom} />
        <ExportMenu body={body} log={frames} fileName={toFileName(fileName, run)} />
      </header>
      <Scrubber
        run={run}
        window={zoom.window}
        width={width}
        at={moment.at ?? endOf(run)}
        count={moment.count}
        isPast={moment.isPast}
        onMove={moment.setTime}
        onCount={moment.setCount}
        onNow={moment.setNow}
        nowLabel={fileName === undefined ? 'Now' : 'The end'}
      />
      <div className="tl-body" ref={body}>
        <div ref={content} />
        <TimelineNotes {...{ run, part, areTimesKnown }} />
        <OpeningNotice opening={choice.opening} />
        <Charts {...{ run, other, names, zoom, now, moment, agentStyles, otherStyles }} />
        <Legend runs={other ? [run, other.run] : [run]} />
        {other ? (
          <Comparison one={run} other={other.run} names={names} />
        ) : (
          <FigureTables {...{ run, agentStyles }} clockNote={toClockNote(run, fileName)} />
        )}
        <BarTable
          {...{ run, agentStyles, now }}
          onPickFrame={(index) => moment.setCount(index + 1)}
        />
      </div>
    </>
  )
}

interface ChartsProps {
  readonly run: Run
  readonly other: OtherRun | undefined
  readonly names: readonly [string, string]
  readonly zoom: Zoom
  readonly now: number
  readonly moment: RunMoment
  readonly agentStyles: AgentStyles
  readonly otherStyles: AgentStyles
}

/** Shows a run and the compared run on one scale. */
function Charts(props: ChartsProps) {
  const { run, other, names, zoom, now, moment, agentStyles, otherStyles } = props
  return (
    <>
      <div data-title={names[0]}>
        {other && <h3 className="tl-name">{names[0]}</h3>}
        <TimelineChart
          {...{ run, agentStyles, zoom, now }}
          label={`Bars of ${names[0]}`}
          at={moment.at}
          onPick={moment.setTime}
          onPickFrame={(index) => moment.setCount(index + 1)}
        />
      </div>
      {other && (
        <div data-title={names[1]}>
          <h3 className="tl-name">{names[1]}</h3>
          <TimelineChart
            run={other.run}
            agentStyles={otherStyles}
            zoom={zoom}
            now={endOf(other.run)}
            label={`Bars of ${names[1]}`}
          />
        </div>
      )}
    </>
  )
}

/** Returns a note about the clock: after a reload, and once a run is over, it is that of the server. */
function toClockNote({ clock, isStored }: Run, fileName: string | undefined): string {
  if (clock === 'order' || fileName !== undefined) return ''
  return isStored ? 'Times as the server stored them' : 'Times as they arrived here'
}

function toFileName(fileName: string | undefined, { startTime, clock }: Run): string {
  const base = fileName?.replace(/\.\w+$/, '')
  if (base !== undefined) return base
  const when = new Date(clock === 'time' ? startTime : Date.now()).toISOString().slice(0, 19)
  return `millrace-${when.replaceAll(/[:T]/g, '-')}`
}

/** Returns the styles of a run's agents: those of the session, or their own for a file. */
function useRunStyles(run: Run | undefined, agentStyles: AgentStyles): AgentStyles {
  // The lanes of a run grow in place.
  const count = run?.lanes.length ?? 0
  return useMemo(() => {
    const lanes = run?.lanes.slice(0, count) ?? []
    if (lanes.every(({ agent }) => agentStyles.has(agent))) return agentStyles
    return toAgentStyles(lanes.map(({ agent, name }) => ({ id: agent, name })))
  }, [run, count, agentStyles])
}

/** Returns the end of a run: its last frame, or the present while it is in progress. */
function useNow(run: Run, isLive: boolean): number {
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

interface TimelineNotesProps {
  readonly run: Run
  readonly part: number
  readonly areTimesKnown: boolean
}

/** Shows notes about missing times, merged messages and dropped frames. */
function TimelineNotes({ run, part, areTimesKnown }: TimelineNotesProps) {
  const { moments, fileName } = useStudio()
  const earliest = moments.earliest()
  const notes = [
    part < 1 && `Reading the frames: ${Math.round(part * 100)} %`,
    run.clock === 'order' && toOrderNote(areTimesKnown, fileName !== undefined),
    run.merged > 0 &&
      `${toCount(run.merged)} frames contain several messages each, which the server merged.`,
    earliest > 0 &&
      `Only the latest frames are kept; moments before frame ${toCount(earliest)} cannot be shown.`,
  ].filter((note) => note !== false)
  if (notes.length === 0) return null
  return (
    <div className="tl-notes" role="status">
      {notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
    </div>
  )
}

function toOrderNote(areTimesKnown: boolean, isFile: boolean): string {
  if (isFile) return 'The file has no times, so messages are shown in order.'
  if (!areTimesKnown) return 'Loading the times of the messages…'
  return 'The server has no times for this history, so messages are shown in order.'
}
