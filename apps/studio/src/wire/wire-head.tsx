import type { ReactNode } from 'react'
import type { FrameFilter } from './select-frames.ts'
import { useFoundNotice } from './use-found-notice.ts'

interface WireHeadProps {
  readonly filter: FrameFilter
  readonly onFilter: (filter: FrameFilter) => void
  /** The text of the applied filter, which may lag behind the input. */
  readonly settledText: string
  /** The number of frames that match it. */
  readonly shown: number
  /** Totals of the wire. */
  readonly children: ReactNode
}

/** Shows the totals of the wire and a search field. */
export function WireHead({ filter, onFilter, settledText, shown, children }: WireHeadProps) {
  const notice = useFoundNotice(settledText, shown)
  return (
    <div className="wire-head">
      <h2>The wire</h2>
      <span className="muted" data-testid="wire-totals">
        {children}
      </span>
      <search>
        <span className="visually-hidden" role="status">
          {notice}
        </span>
        <span className="muted">
          {settledText.trim() !== '' && `${shown.toLocaleString('en')} found`}
        </span>
        <input
          type="search"
          value={filter.text}
          placeholder="Find frames"
          aria-label="Show only frames that contain"
          title="Each frame is searched separately; words split over several frames are not found"
          onChange={(event) => onFilter({ ...filter, text: event.target.value })}
        />
      </search>
    </div>
  )
}
