import { memo } from 'react'
import { segmentTypes } from 'millrace/segments'
import type { LabRun } from '../run/index.ts'

/** Shows the colors of the segment types in the run. */
export const SourceLegend = memo(function SourceLegend({ run }: { readonly run: LabRun }) {
  const present = new Set(run.segments.map(({ type }) => type))
  return (
    <ul className="legend" aria-label="Colors">
      {segmentTypes
        .filter((type) => present.has(type))
        .map((type) => (
          <li key={type}>
            <span className="source-part" data-kind={type}>
              {type}
            </span>
          </li>
        ))}
      <li>
        <span className="source-part" data-kind="markup">
          markup
        </span>
      </li>
      <li>
        <mark className="source-held">held back</mark>
      </li>
      <li>
        <span className="source-unfed">not yet fed</span>
      </li>
    </ul>
  )
})
