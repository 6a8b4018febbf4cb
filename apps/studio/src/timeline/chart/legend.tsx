import { toDuration } from '../../text/index.ts'
import { SILENCE_MS, barKinds } from '../model/index.ts'
import type { BarKind, Run } from '../model/index.ts'

/** Shows the colors of the bars in the runs. */
export function Legend({ runs }: { readonly runs: readonly Run[] }) {
  const lanes = runs.flatMap((run) => run.lanes)
  const used = new Set(lanes.flatMap(({ bars }) => bars.map(({ kind }) => kind)))
  const kinds = (Object.keys(barKinds) as BarKind[]).filter((kind) => used.has(kind))
  return (
    <ul className="tl-legend" aria-label="Legend">
      {kinds.map((kind) => (
        <li key={kind}>
          <span className="tl-swatch" data-kind={kind} />
          {barKinds[kind]}
        </li>
      ))}
      {runs.some(({ clock }) => clock === 'time') && (
        <li>
          <span className="tl-swatch" data-kind="first-token" />
          Time to first token
        </li>
      )}
      {runs.some(({ silences }) => silences.length > 0) && (
        <li>
          <span className="tl-swatch" data-kind="silence" />
          Silence above {toDuration(SILENCE_MS)}
        </li>
      )}
    </ul>
  )
}
