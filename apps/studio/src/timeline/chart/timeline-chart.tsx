import { type KeyboardEvent, useId, useMemo, useRef, useState } from 'react'
import { type AgentStyles, styleOf } from '../../session/index.ts'
import { toDuration } from '../../text/index.ts'
import { useWidth } from '../../ui/index.ts'
import type { Run } from '../model/index.ts'
import {
  AXIS_HEIGHT,
  type ChartFrame,
  type ChartLayout,
  layoutRun,
  type Shape,
  toLeft,
  toX,
} from './chart-layout.ts'
import { ChartAxis, ChartLane, toShapeId } from './chart-parts.tsx'
import { describeBar } from './describe-bar.ts'
import { useChartGestures } from './use-chart-gestures.ts'
import type { Zoom } from './use-window.ts'

interface TimelineChartProps {
  readonly run: Run
  readonly agentStyles: AgentStyles
  readonly label: string
  readonly zoom: Zoom
  /** End of bars that are in progress. */
  readonly now: number
  /** The selected time; undefined for the present. */
  readonly at?: number | undefined
  /** Called with a selected time or frame. */
  readonly onPick?: (at: number) => void
  readonly onPickFrame?: (index: number) => void
}

/** Shows a run as bars in lanes. */
export function TimelineChart(props: TimelineChartProps) {
  const { run, agentStyles, label, zoom, now, at, onPick, onPickFrame = ignore } = props
  const [box, width] = useWidth()
  const chart = useRef<HTMLDivElement>(null)
  const idPrefix = useId()
  const [hovered, setHovered] = useState<Shape>()
  const [focused, setFocused] = useState<Shape>()
  const left = toLeft(width)
  const { from, to } = zoom.window
  const { length: frames } = run.times
  const frame: ChartFrame = useMemo(
    () => ({ from, to, width, left, now, frames }),
    [from, to, width, left, now, frames],
  )
  const layout = useMemo(() => layoutRun(run, frame), [run, frame])
  const gestures = useChartGestures({ chart, frame, zoom, onPick })
  const onKeyDown = (event: KeyboardEvent) => {
    const next = toKeyAction(event, { zoom, layout, focused, onPickFrame })
    if (next === undefined) return
    event.preventDefault()
    if (next) setFocused(next)
  }
  const shown = hovered ?? focused
  return (
    <div ref={box} className="tl-chart-box">
      <div
        ref={chart}
        className="tl-chart"
        data-scrub={onPick !== undefined || undefined}
        role="listbox"
        aria-label={label}
        aria-activedescendant={focused && toShapeId(idPrefix, focused)}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onBlur={() => setFocused(undefined)}
        {...gestures}
      >
        {width > 0 && (
          <svg width={width} height={layout.height + 4} role="presentation">
            <ChartAxis run={run} frame={frame} height={layout.height} />
            {layout.lanes.map((lane) => (
              <ChartLane
                key={lane.lane.agent}
                {...{ run, frame, idPrefix }}
                layout={lane}
                agentStyle={styleOf(agentStyles, lane.lane.agent)}
                focused={focused}
                onHover={setHovered}
              />
            ))}
            <FirstToken run={run} frame={frame} />
            <MomentLine at={at} frame={frame} height={layout.height} />
          </svg>
        )}
      </div>
      <BarDetail {...{ run, agentStyles, now }} shape={shown} />
    </div>
  )
}

function ignore(): void {}

interface KeyContext {
  readonly zoom: Zoom
  readonly layout: ChartLayout
  readonly focused: Shape | undefined
  readonly onPickFrame: (index: number) => void
}

/** Handles a key: returns a bar to focus, null if it is done, and undefined for other keys. */
function toKeyAction(event: KeyboardEvent, context: KeyContext): Shape | null | undefined {
  const { zoom, layout, focused, onPickFrame } = context
  const actions: Readonly<Record<string, () => Shape | null | undefined>> = {
    '+': () => (zoom.zoom(0.6, focused?.bar.start), null),
    '=': () => (zoom.zoom(0.6, focused?.bar.start), null),
    '-': () => (zoom.zoom(1 / 0.6, focused?.bar.start), null),
    '0': () => (zoom.fit(), null),
    Enter: () => (focused && onPickFrame(focused.bar.firstIndex), null),
    ArrowLeft: () => (event.shiftKey ? (zoom.pan(-0.2), null) : moveFocus(layout, focused, -1, 0)),
    ArrowRight: () => (event.shiftKey ? (zoom.pan(0.2), null) : moveFocus(layout, focused, 1, 0)),
    ArrowUp: () => moveFocus(layout, focused, 0, -1),
    ArrowDown: () => moveFocus(layout, focused, 0, 1),
  }
  return event.ctrlKey || event.metaKey || event.altKey ? undefined : actions[event.key]?.()
}

/** Marks the time to first token on the scale. */
function FirstToken({ run, frame }: { readonly run: Run; readonly frame: ChartFrame }) {
  const { firstToken, clock } = run
  if (firstToken === undefined || clock === 'order') return null
  const x = toX(firstToken, frame)
  if (x < frame.left || x > frame.width) return null
  return (
    <g aria-hidden="true">
      <path className="tl-token-mark" d={`M${x - 4} ${AXIS_HEIGHT - 7}h8l-4 6z`} />
      <title>First token after {toDuration(firstToken)}</title>
    </g>
  )
}

interface MomentLineProps {
  readonly at: number | undefined
  readonly frame: ChartFrame
  readonly height: number
}

function MomentLine({ at, frame, height }: MomentLineProps) {
  if (at === undefined || at < frame.from || at > frame.to) return null
  const x = Math.min(frame.width - 1, toX(at, frame))
  return (
    <g aria-hidden="true">
      <line className="tl-moment" x1={x} x2={x} y1={AXIS_HEIGHT - 4} y2={height} />
      <circle className="tl-moment-dot" cx={x} cy={AXIS_HEIGHT - 4} r={4} />
    </g>
  )
}

/** Reports whether a pointer can hover. */
function canHover(): boolean {
  return matchMedia('(hover: hover)').matches
}

interface BarDetailProps {
  readonly run: Run
  readonly agentStyles: AgentStyles
  readonly shape: Shape | undefined
  readonly now: number
}

/** Shows the details of the selected bar; its space is reserved. */
function BarDetail({ run, agentStyles, shape, now }: BarDetailProps) {
  if (!shape) {
    return (
      <p className="tl-detail muted">
        {canHover() ? 'Point at a bar, or use the arrow keys,' : 'Tap a bar'} to read about it.
      </p>
    )
  }
  const { label } = styleOf(agentStyles, shape.lane.agent)
  const [what, ...rest] = describeBar(shape.bar, label, run, now)
  return (
    <p className="tl-detail" aria-live="polite">
      <span className="tl-swatch" data-kind={shape.kind} />
      <strong>{what}</strong> · {rest.join(' · ')}
      {shape.count > 1 && ` · and ${shape.count - 1} more; zoom in to separate them`}
    </p>
  )
}

/** Returns the next bar along its lane, or the nearest one in another lane. */
function moveFocus(
  { lanes }: ChartLayout,
  focused: Shape | undefined,
  along: number,
  across: number,
): Shape | undefined {
  const filled = lanes.filter(({ shapes }) => shapes.length > 0)
  const place = filled.findIndex(({ lane }) => lane.agent === focused?.lane.agent)
  if (!focused || place < 0) return filled[0]?.shapes[0]
  const here = toOrdered(filled[place]?.shapes ?? [])
  if (across === 0) {
    const position = here.findIndex(({ bar }) => bar === focused.bar)
    return here[Math.min(here.length - 1, Math.max(0, position + along))]
  }
  const there = filled[Math.min(filled.length - 1, Math.max(0, place + across))]
  const isSame = there?.lane.agent === focused.lane.agent
  return isSame ? focused : nearest(there?.shapes ?? [], focused)
}

function toOrdered(shapes: readonly Shape[]): readonly Shape[] {
  return shapes.toSorted((one, other) => one.x - other.x || one.y - other.y)
}

function nearest(shapes: readonly Shape[], { x }: Shape): Shape | undefined {
  const distance = (shape: Shape): number => Math.abs(shape.x - x)
  return shapes.reduce<Shape | undefined>(
    (best, shape) => (best && distance(best) <= distance(shape) ? best : shape),
    undefined,
  )
}
