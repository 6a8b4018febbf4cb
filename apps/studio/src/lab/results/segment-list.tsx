import { useStickToBottom } from '../../ui/index.ts'
import { contentAfter, stateAfter } from '../run/index.ts'
import type { SegmentRecord } from '../run/index.ts'
import { SegmentCard } from './segment-card.tsx'
import { usePage } from './use-page.ts'

interface SegmentListProps {
  /** The segments that have started. */
  readonly segments: readonly SegmentRecord[]
  /** The number of events so far. */
  readonly events: number
  readonly active: number
  readonly onActive: (segment: number) => void
}

/** Lists the segments so far and follows the newest. */
export function SegmentList({ segments, events, active, onActive }: SegmentListProps) {
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
