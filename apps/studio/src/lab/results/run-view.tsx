import { useMemo, useState } from 'react'
import { callsAfter, isWaiting, segmentsAfter } from '../run/index.ts'
import type { LabRun } from '../run/index.ts'
import { ChunkingCheck } from './chunking-check.tsx'
import { EventList } from './event-list.tsx'
import { InvocationList } from './invocation-list.tsx'
import { SegmentList } from './segment-list.tsx'
import { SourceView } from './source-view.tsx'
import { Stepper } from './stepper.tsx'
import { SummaryLine } from './summary-line.tsx'
import { usePlayer } from './use-player.ts'
import { useStepKeys } from './use-step-keys.ts'

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
