import type { ReactNode } from 'react'
import type { FrameFilter } from './select-frames.ts'
import { useFoundNotice } from './use-found-notice.ts'

interface WireHeadProps {
  readonly filter: FrameFilter
  readonly onFilter: (filter: FrameFilter) => void
  /** The text of the filter that frames were picked by: it may lag behind what is typed. */
  readonly settledText: string
  /** How many frames pass that one. */
  readonly shown: number
  /** How much there is in all. */
  readonly children: ReactNode
}

/** What the wire holds, and a field to find frames by what they say. */
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
          title="Each frame is looked at by itself: words that came in pieces are in none of them"
          onChange={(event) => onFilter({ ...filter, text: event.target.value })}
        />
      </search>
    </div>
  )
}
