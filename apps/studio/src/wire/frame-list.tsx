import { memo, useEffect, useRef } from 'react'
import type { KeyboardEvent, MouseEvent, RefObject } from 'react'
import type { LoggedFrame } from '../session/frames/index.ts'
import { styleOf } from '../session/index.ts'
import type { AgentStyles } from '../session/index.ts'
import { DownIcon } from '../ui/index.ts'
import { VisibleText } from '../ui/text/index.ts'
import { toOffset, toPreview } from './format.ts'
import { findFrame } from './select-frames.ts'
import { useVirtualRows } from './use-virtual-rows.ts'

/** The height of a row in pixels; the style sheet has the same. */
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
  readonly agentStyles: AgentStyles
  /** Origin of the times. */
  readonly startTime: number
  readonly selected: LoggedFrame | undefined
  /** The frame to scroll to; another object for each jump. */
  readonly target: LoggedFrame | undefined
  readonly onSelect: (frame: LoggedFrame) => void
}

/** Lists the frames and draws only the rows in view. */
export function FrameList(props: FrameListProps) {
  const { frames, agentStyles, startTime, selected, target, onSelect } = props
  const { scrollRef, onScroll, start, end, following, follow, reveal } = useVirtualRows({
    count: frames.length,
    rowHeight: ROW_HEIGHT,
    firstKey: frames[0]?.index ?? 0,
  })
  useScrollToTarget({ frames, target, reveal, scrollRef })
  const position = selected ? findFrame(frames, selected) : -1
  const onKeyDown = (event: KeyboardEvent) => {
    const step = steps[event.key]
    if (step === undefined || frames.length === 0) return
    event.preventDefault()
    const next = moveBy(step, position, frames.length)
    const frame = frames[next]
    if (frame) onSelect(frame)
    reveal(next)
  }
  const onClick = (event: MouseEvent) => {
    const row = event.target instanceof Element ? event.target.closest('[data-position]') : null
    const frame = frames[Number(row?.getAttribute('data-position') ?? -1)]
    if (frame) onSelect(frame)
  }
  return (
    <div className="wire-list" data-several={agentStyles.size > 1 || undefined}>
      <div
        className="wire-scroll"
        ref={scrollRef}
        onScroll={onScroll}
        onKeyDown={onKeyDown}
        onClick={onClick}
        role="listbox"
        aria-label="Frames"
        aria-activedescendant={selected ? `frame-${selected.index}` : undefined}
        tabIndex={0}
      >
        <div style={{ height: frames.length * ROW_HEIGHT }} role="presentation">
          <div role="presentation" style={{ transform: `translateY(${start * ROW_HEIGHT}px)` }}>
            {frames.slice(start, end).map((frame, index) => (
              <Row
                key={frame.index}
                frame={frame}
                {...styleOf(agentStyles, frame.agent)}
                // The time at which history was read is not shown.
                offset={frame.isTimed ? toOffset(frame.time - startTime) : ''}
                isSelected={frame === selected}
                position={start + index}
              />
            ))}
          </div>
        </div>
      </div>
      {!following && (
        <button type="button" className="button jump" onClick={follow}>
          <DownIcon />
          Follow
        </button>
      )}
    </div>
  )
}

interface ScrollToTargetOptions extends Pick<FrameListProps, 'frames' | 'target'> {
  readonly reveal: (row: number) => void
  readonly scrollRef: RefObject<HTMLElement | null>
}

/** Scrolls to a frame once, as soon as it is in the list. */
function useScrollToTarget({ frames, target, reveal, scrollRef }: ScrollToTargetOptions): void {
  const reached = useRef(target)
  useEffect(() => {
    if (!target || reached.current === target) return
    const row = findFrame(frames, target)
    if (row < 0) return
    reached.current = target
    reveal(row)
    scrollRef.current?.focus({ preventScroll: true })
  })
}

/** Returns the position after a key; without a selection the first step up selects the newest. */
function moveBy(step: number, position: number, count: number): number {
  const from = position < 0 && step < 0 ? count : position
  return Math.min(count - 1, Math.max(0, from + step))
}

interface RowProps {
  readonly frame: LoggedFrame
  /** Label and color of its agent. */
  readonly label: string
  readonly color: number
  readonly offset: string
  readonly isSelected: boolean
  readonly position: number
}

const Row = memo(function Row(props: RowProps) {
  const { frame, label, color, offset, isSelected, position } = props
  return (
    <div
      id={`frame-${frame.index}`}
      className="wire-row"
      role="option"
      aria-selected={isSelected}
      data-type={frame.type}
      data-position={position}
    >
      <span className="wire-id">{frame.id ?? '–'}</span>
      <span className="wire-agent" title={label} data-agent-color={label ? color : undefined}>
        <span className="agent-dot" />
        <span className="wire-name">{label}</span>
      </span>
      <span className="wire-type" title={frame.type}>
        <VisibleText text={frame.type} isSingleLine />
      </span>
      <span className="wire-preview">
        <VisibleText text={toPreview(frame.data)} isSingleLine />
      </span>
      <span className="wire-time">{offset}</span>
      <span className="wire-bytes">{frame.bytes}</span>
    </div>
  )
})
