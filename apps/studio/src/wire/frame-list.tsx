import { memo } from 'react'
import type { KeyboardEvent } from 'react'
import type { LoggedFrame } from '../session/frame-log.ts'
import { DownIcon } from '../shell/icons.tsx'
import { AGENT_COLOURS, toOffset, toPreview } from './format.ts'
import { useVirtualRows } from './use-virtual-rows.ts'

/** The height of a row in pixels; the style sheet says the same. */
const ROW_HEIGHT = 26

const steps: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 20,
  PageUp: -20,
  Home: -Infinity,
  End: Infinity,
}

interface FrameListProps {
  readonly frames: readonly LoggedFrame[]
  readonly agents: readonly string[]
  readonly selected: LoggedFrame | undefined
  readonly onSelect: (frame: LoggedFrame) => void
}

/** The frames in rows, of which only those in view are drawn. */
export function FrameList({ frames, agents, selected, onSelect }: FrameListProps) {
  const first = frames[0]
  const rows = useVirtualRows({
    count: frames.length,
    rowHeight: ROW_HEIGHT,
    firstKey: first?.index ?? 0,
  })
  const position = selected ? frames.indexOf(selected) : -1
  const onKeyDown = (event: KeyboardEvent) => {
    const step = steps[event.key]
    if (step === undefined || frames.length === 0) return
    event.preventDefault()
    const next = Math.min(frames.length - 1, Math.max(0, position + step))
    const frame = frames[next]
    if (frame) onSelect(frame)
    rows.reveal(next)
  }
  return (
    <div className="wire-list">
      <div
        className="wire-scroll"
        ref={rows.scrollRef}
        onScroll={rows.onScroll}
        onKeyDown={onKeyDown}
        role="listbox"
        aria-label="Frames"
        aria-activedescendant={selected ? `frame-${selected.index}` : undefined}
        tabIndex={0}
      >
        <div style={{ height: frames.length * ROW_HEIGHT }} role="presentation">
          <div
            role="presentation"
            style={{ transform: `translateY(${rows.start * ROW_HEIGHT}px)` }}
          >
            {frames.slice(rows.start, rows.end).map((frame) => (
              <Row
                key={frame.index}
                frame={frame}
                colour={agents.indexOf(frame.agent) % AGENT_COLOURS}
                offset={toOffset(frame.time - (first?.time ?? frame.time))}
                isSelected={frame === selected}
                onSelect={onSelect}
              />
            ))}
          </div>
        </div>
      </div>
      {!rows.following && (
        <button type="button" className="button jump" onClick={rows.follow}>
          <DownIcon />
          Follow
        </button>
      )}
    </div>
  )
}

interface RowProps {
  readonly frame: LoggedFrame
  readonly colour: number
  readonly offset: string
  readonly isSelected: boolean
  readonly onSelect: (frame: LoggedFrame) => void
}

const Row = memo(function Row({ frame, colour, offset, isSelected, onSelect }: RowProps) {
  return (
    <div
      id={`frame-${frame.index}`}
      className="wire-row"
      role="option"
      aria-selected={isSelected}
      data-type={frame.type}
      onClick={() => onSelect(frame)}
    >
      <span className="wire-id">{frame.id ?? '–'}</span>
      <span className="agent-dot" data-colour={colour} />
      <span className="wire-type">{frame.type}</span>
      <span className="wire-preview">{toPreview(frame.data)}</span>
      <span className="wire-time">{offset}</span>
      <span className="wire-bytes">{frame.bytes}</span>
    </div>
  )
})
