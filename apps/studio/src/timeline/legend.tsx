import { toDuration } from './format-figures.ts'
import { barKinds } from './timeline.ts'
import type { BarKind, Run } from './timeline.ts'
import { SILENCE_MS } from './timeline-model.ts'

/** What the colours of a chart mean, as far as the run has them. */
export function Legend({ run }: { readonly run: Run }) {
  const used = new Set(run.lanes.flatMap(({ bars }) => bars.map(({ kind }) => kind)))
  const kinds = (Object.keys(barKinds) as BarKind[]).filter((kind) => used.has(kind))
  return (
    <ul className="tl-legend" aria-label="What the colours mean">
      {kinds.map((kind) => (
        <li key={kind}>
          <span className="tl-swatch" data-kind={kind} />
          {barKinds[kind]}
        </li>
      ))}
      {run.clock === 'time' && (
        <li>
          <span className="tl-swatch" data-kind="first-token" />
          Until the first token
        </li>
      )}
      {run.silences.length > 0 && (
        <li>
          <span className="tl-swatch" data-kind="silence" />
          Silence above {toDuration(SILENCE_MS)}
        </li>
      )}
    </ul>
  )
}
