import { OpenButton } from '../recordings/index.ts'
import type { Zoom } from './chart/index.ts'
import { columns, figuresOfRun, runName, showFigure } from './model/index.ts'
import type { Run } from './model/index.ts'
import type { OtherRun, OtherRunChoice } from './use-other-run.ts'

const shownFigures: readonly (keyof typeof columns)[] = [
  'firstToken',
  'total',
  'rate',
  'cost',
  'bytes',
]

/** Shows the figures of a run in one line. */
export function RunSummary({ run }: { readonly run: Run }) {
  const figures = figuresOfRun(run)
  return (
    <dl className="tl-summary">
      {shownFigures
        .filter((name) => columns[name].read(figures) !== undefined)
        .map((name) => (
          <div key={name} title={columns[name].title}>
            <dt>{columns[name].label}</dt>
            <dd>{showFigure(name, figures, run.clock)}</dd>
          </div>
        ))}
    </dl>
  )
}

interface RunPickerProps {
  readonly runs: readonly Run[]
  readonly run: Run
  readonly onRun: (run: Run) => void
}

/** Selects the run that is shown. */
export function RunPicker({ runs, run, onRun }: RunPickerProps) {
  return (
    <select
      className="tl-select"
      aria-label="Run"
      value={run.number}
      onChange={(event) => {
        const chosen = runs.find(({ number }) => number === Number(event.target.value))
        if (chosen) onRun(chosen)
      }}
    >
      {runs.toReversed().map((each) => (
        <option key={each.number} value={each.number}>
          {runName(each)}
        </option>
      ))}
    </select>
  )
}

interface OtherPickerProps {
  readonly runs: readonly Run[]
  readonly run: Run
  readonly other: OtherRun | undefined
  readonly choice: OtherRunChoice
}

/** Selects the run to compare with. */
export function OtherPicker({
  runs,
  run,
  other,
  choice: { recorded, choose, opening },
}: OtherPickerProps) {
  const own = runs
    .filter((each) => each !== run)
    .map((each) => ({ run: each, name: runName(each) }))
  const choices = [...own.toReversed(), ...recorded]
  const value = choices.findIndex((each) => each.run === other?.run)
  return (
    <div className="tl-compare">
      <select
        className="tl-select"
        aria-label="Compare with"
        value={value}
        onChange={(event) => choose(choices[Number(event.target.value)])}
      >
        <option value={-1}>Compare with…</option>
        {choices.map(({ name }, index) => (
          <option key={index} value={index}>
            {name}
          </option>
        ))}
      </select>
      <OpenButton
        label="Compare with a file"
        className="quiet-button tl-open"
        onFile={(file) => void opening.open(file, file.name)}
      />
    </div>
  )
}

/** Zooms in and out. */
export function ZoomButtons({ zoom }: { readonly zoom: Zoom }) {
  return (
    <div className="segmented" role="group" aria-label="Zoom">
      <button
        type="button"
        aria-label="Zoom out"
        disabled={zoom.isFit}
        onClick={() => zoom.zoom(1 / 0.6)}
      >
        −
      </button>
      <button type="button" disabled={zoom.isFit} onClick={zoom.fit}>
        Fit
      </button>
      <button type="button" aria-label="Zoom in" onClick={() => zoom.zoom(0.6)}>
        +
      </button>
    </div>
  )
}
