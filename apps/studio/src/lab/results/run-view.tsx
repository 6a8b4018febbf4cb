import { useEffect, useMemo, useRef, useState } from 'react'
import { useStickToBottom } from '../../ui/index.ts'
import {
  callsAfter,
  compareChunkings,
  type Comparison,
  contentAfter,
  isWaiting,
  type LabRun,
  type SegmentRecord,
  segmentsAfter,
  stateAfter,
} from '../run/index.ts'
import { EventList } from './event-list.tsx'
import { InvocationList } from './invocation-list.tsx'
import { SegmentCard } from './segment-card.tsx'
import { SourceView } from './source-view.tsx'
import { Stepper } from './stepper.tsx'
import { SummaryLine } from './summary-line.tsx'
import { usePage } from './use-page.ts'
import { usePlayer } from './use-player.ts'

/** Steps by key; Shift extends the arrows. */
const moves: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  'Shift+ArrowLeft': -10,
  'Shift+ArrowRight': 10,
  Home: -Infinity,
  End: Infinity,
}

const PROMISE =
  'Parses the text whole, by code unit and in 50 random chunkings: the result must be the same.'

interface RunViewProps {
  readonly run: LabRun
  readonly step: number
  readonly onStep: (step: number) => void
  readonly isShown: boolean
}

/** Shows one step of a run and the controls. */
export function RunView({ run, step, onStep, isShown }: RunViewProps) {
  const [active, setActive] = useState(-1)
  const lastStep = run.steps.length - 1
  const player = usePlayer({ step, lastStep, onStep })
  const goTo = (next: number) => {
    player.pause()
    onStep(Math.min(lastStep, Math.max(0, next)))
  }
  useStepKeys({ move: (steps) => goTo(step + steps), toggle: player.toggle }, isShown)
  const verdictKey = useMemo(() => checkKey(run), [run])
  const moment = run.steps[step] ?? nothing
  const before = run.steps[step - 1] ?? nothing
  const segments = segmentsAfter(run, moment.events)
  const started = segments.length
  return (
    <section className="lab-run" aria-label="Run">
      <div className="lab-controls">
        <Stepper step={step} lastStep={lastStep} player={player} onStep={goTo} />
        <SummaryLine run={run} moment={moment} started={started} isPlaying={player.isPlaying} />
        <ChunkingCheck key={verdictKey} run={run} />
      </div>
      <SourceView
        run={run}
        moment={moment}
        started={started}
        active={active}
        onActive={setActive}
      />
      <SegmentList
        segments={segments}
        events={moment.events}
        active={active}
        onActive={setActive}
      />
      <EventList
        events={run.events.slice(before.events, moment.events)}
        step={step}
        lastStep={lastStep}
        held={moment.fed - moment.decided}
        isWaiting={isWaiting(run, moment, started)}
      />
      <InvocationList calls={callsAfter(run, moment.events)} />
    </section>
  )
}

const nothing = { fed: 0, decided: 0, events: 0 }

/** Returns a key of the text and its options, on which the verdict depends. */
function checkKey({ settings: { chunking: _, ...rest } }: LabRun): string {
  return JSON.stringify(rest)
}

/** Verifies that the chunking does not change the result. */
function ChunkingCheck({ run }: { readonly run: LabRun }) {
  const [comparison, setComparison] = useState<Comparison>()
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const check = () => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    setComparison(undefined)
    void compareChunkings(run.settings, {
      signal: controller.signal,
      onProgress: setComparison,
    })
  }
  const { tone, text } = toVerdict(comparison)
  return (
    <div className="chunking-check">
      <span role="status" data-tone={tone} data-testid="verdict">
        {text}
      </span>
      <button type="button" className="button" title={PROMISE} onClick={check}>
        Check all chunkings
      </button>
    </div>
  )
}

function toVerdict(comparison: Comparison | undefined): { tone: string; text: string } {
  if (comparison === undefined) return { tone: 'calm', text: '' }
  const { done, total, different } = comparison
  if (different.length > 0)
    return { tone: 'bad', text: `Different result: ${different.join(', ')}` }
  if (done < total) return { tone: 'calm', text: `${done} of ${total} agree …` }
  return { tone: 'good', text: `✓ All ${total} chunkings agree` }
}

/** Actions of the keys. */
interface StepKeys {
  readonly move: (steps: number) => void
  readonly toggle: () => void
}

/** Handles the arrows, Home, End and the space bar unless the focused element uses them. */
function useStepKeys(keys: StepKeys, isShown: boolean): void {
  const latest = useRef(keys)
  useEffect(() => {
    latest.current = keys
  }, [keys])
  useEffect(() => {
    if (!isShown) return undefined
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.altKey || event.ctrlKey || event.metaKey || hasOwnKeys(event.target, event.key))
        return
      const steps = moves[event.shiftKey ? `Shift+${event.key}` : event.key]
      if (steps !== undefined) latest.current.move(steps)
      else if (event.key === ' ') latest.current.toggle()
      else return
      event.preventDefault()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [isShown])
}

/**
 * Reports whether an element uses a key: fields use all, buttons and links the space bar, scrolling areas all but the
 * horizontal arrows.
 */
function hasOwnKeys(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof Element)) return false
  if (target.closest('input, textarea, select') !== null) return true
  if (key === ' ') return target.closest('button, a, summary, [tabindex]') !== null
  return !key.startsWith('Arrow') && target.closest('[tabindex]') !== null
}

interface SegmentListProps {
  /** The segments that have started. */
  readonly segments: readonly SegmentRecord[]
  /** The number of events so far. */
  readonly events: number
  readonly active: number
  readonly onActive: (segment: number) => void
}

/** Lists the segments so far and follows the newest. */
function SegmentList({ segments, events, active, onActive }: SegmentListProps) {
  const { scrollRef, contentRef } = useStickToBottom(segments.length === 0)
  const { hidden, showMore } = usePage(segments.length)
  return (
    <section className="lab-panel" aria-label="Segments">
      <header>
        <h2>Segments</h2>
        <span className="muted">{segments.length.toLocaleString('en')}</span>
      </header>
      <div className="lab-scroll" ref={scrollRef}>
        <div ref={contentRef}>
          {hidden > 0 && (
            <button type="button" className="quiet-button" onClick={showMore}>
              Show earlier ones ({hidden.toLocaleString('en')} more)
            </button>
          )}
          {segments.length === 0 && <p className="lab-empty">None has started yet.</p>}
          <ol className="lab-cards">
            {segments.slice(hidden).map((record, index) => (
              <SegmentCard
                key={record.id}
                number={hidden + index}
                record={record}
                content={contentAfter(record, events)}
                state={stateAfter(record, events)}
                isActive={active === hidden + index}
                onActive={onActive}
              />
            ))}
          </ol>
        </div>
      </div>
    </section>
  )
}
