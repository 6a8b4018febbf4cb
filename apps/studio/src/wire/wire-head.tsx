import type { ReactNode } from 'react'
import type { FrameFilter } from './select-frames.ts'

interface WireHeadProps {
  readonly filter: FrameFilter
  readonly onFilter: (filter: FrameFilter) => void
  /** How many frames pass the filter. */
  readonly shown: number
  /** How much there is in all. */
  readonly children: ReactNode
}

/** What the wire holds, and a field to find frames by what they say. */
export function WireHead({ filter, onFilter, shown, children }: WireHeadProps) {
  return (
    <div className="wire-head">
      <h2>The wire</h2>
      <span className="muted" data-testid="wire-totals">
        {children}
      </span>
      <search>
        <span className="muted" role="status">
          {filter.text.trim() !== '' && `${shown.toLocaleString('en')} found`}
        </span>
        <input
          type="search"
          value={filter.text}
          placeholder="Find frames"
          aria-label="Show only frames that contain"
          onChange={(event) => onFilter({ ...filter, text: event.target.value })}
        />
      </search>
    </div>
  )
}
