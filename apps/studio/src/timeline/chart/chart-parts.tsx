import { memo } from 'react'
import type { AgentStyle } from '../../session/index.ts'
import { toStretch } from '../model/index.ts'
import type { Run } from '../model/index.ts'
import { AXIS_HEIGHT, toTickLabel, toTicks, toX } from './chart-layout.ts'
import type { ChartFrame, LaneLayout, Shape } from './chart-layout.ts'
import { describeBar } from './describe-bar.ts'

/** Draws the time scale, with a line through the lanes at each tick. */
export function ChartAxis({
  run,
  frame,
  height,
}: {
  readonly run: Run
  readonly frame: ChartFrame
  readonly height: number
}) {
  const ticks = toTicks(frame, Math.max(2, Math.floor((frame.width - frame.left) / 90)))
  const size = (ticks[1] ?? 0) - (ticks[0] ?? 0)
  return (
    <g aria-hidden="true">
      <rect
        className="tl-ruler"
        x={frame.left}
        width={frame.width - frame.left}
        height={AXIS_HEIGHT}
      />
      {ticks.map((at) => {
        const x = Math.round(toX(at, frame)) + 0.5
        // The last label would be clipped at the edge.
        const anchor = x > frame.width - 30 ? 'end' : x < frame.left + 10 ? 'start' : 'middle'
        return (
          <g key={at}>
            <line className="tl-grid" x1={x} x2={x} y1={AXIS_HEIGHT - 6} y2={height} />
            <text className="tl-tick" x={x} y={AXIS_HEIGHT - 11} textAnchor={anchor}>
              {toTickLabel(at, size, run.clock)}
            </text>
          </g>
        )
      })}
    </g>
  )
}

/** The size of the dot before the name of an agent. */
const MARK_SIZE = 8

interface ChartLaneProps {
  readonly run: Run
  readonly frame: ChartFrame
  readonly layout: LaneLayout
  readonly agentStyle: AgentStyle
  readonly idPrefix: string
  readonly focused: Shape | undefined
  readonly onHover: (shape: Shape | undefined) => void
}

/** Draws an agent's lane: name, bars, times to first token and silences. */
export const ChartLane = memo(function ChartLane(props: ChartLaneProps) {
  const { run, frame, layout, agentStyle, idPrefix, focused, onHover } = props
  const { lane, top, nameTop, height, shapes } = layout
  const indent = Math.min(lane.depth, 4) * 12
  const nameLeft = indent + MARK_SIZE + 7
  return (
    <g role="presentation" data-agent-color={agentStyle.color}>
      <line
        className="tl-lane-line"
        x1={0}
        x2={frame.width}
        y1={top + height - 0.5}
        y2={top + height - 0.5}
        aria-hidden="true"
      />
      <circle
        className="tl-lane-mark"
        cx={indent + MARK_SIZE / 2 + 1}
        cy={nameTop + 14}
        r={MARK_SIZE / 2}
        aria-hidden="true"
      />
      <text className="tl-lane-name" x={nameLeft} y={nameTop + 18} aria-hidden="true">
        {toShortName(agentStyle.label, (frame.left || frame.width) - nameLeft)}
      </text>
      <FirstTokens run={run} frame={frame} layout={layout} />
      {shapes.map((shape, index) => (
        <rect
          key={index}
          id={toShapeId(idPrefix, shape)}
          role="option"
          aria-selected={focused?.bar === shape.bar}
          aria-label={describeBar(shape.bar, agentStyle.label, run, frame.now).join(', ')}
          className="tl-bar"
          data-kind={shape.kind}
          data-error={shape.bar.isError || undefined}
          data-void={shape.bar.isVoid || undefined}
          x={shape.x}
          y={shape.y}
          width={shape.width}
          height={shape.height}
          rx={Math.min(3, shape.width / 2)}
          onPointerEnter={() => onHover(shape)}
          // After a tap the tapped bar stays selected.
          onPointerLeave={({ pointerType }) => pointerType !== 'touch' && onHover(undefined)}
        />
      ))}
      <Silences run={run} frame={frame} layout={layout} />
    </g>
  )
})

/** Returns the element id of a rectangle. */
export function toShapeId(prefix: string, { bar: { firstIndex, row }, kind }: Shape): string {
  return `${prefix}-${firstIndex}-${row}-${kind}`
}

/** Truncates a name at about seven pixels per letter. */
function toShortName(name: string, width: number): string {
  const most = Math.max(3, Math.floor((width - 12) / 7))
  return name.length > most ? `${name.slice(0, most - 1)}…` : name
}

type LanePartProps = Pick<ChartLaneProps, 'run' | 'frame' | 'layout'>

/** Returns the position of a time, clamped to the chart. */
function clip(at: number, frame: ChartFrame): number {
  return Math.min(frame.width, Math.max(frame.left, toX(at, frame)))
}

/** Draws the time from each prompt to the first token. */
function FirstTokens({ frame, layout: { lane, top } }: LanePartProps) {
  return lane.steps
    .filter(({ start, firstToken }) => firstToken >= frame.from && start <= frame.to)
    .map(({ number, start, firstToken }) => (
      <line
        key={number}
        className="tl-first-token"
        x1={clip(start, frame)}
        x2={clip(firstToken, frame)}
        y1={top + 14}
        y2={top + 14}
        aria-hidden="true"
      />
    ))
}

/** Draws long silences of the model. */
function Silences({ run, frame, layout: { lane, top } }: LanePartProps) {
  return run.silences
    .filter(
      ({ agent, start, end }) => agent === lane.agent && end >= frame.from && start <= frame.to,
    )
    .map(({ start, end }) => (
      <g key={start} aria-hidden="true">
        <rect
          className="tl-silence"
          x={clip(start, frame)}
          y={top + 5}
          width={Math.max(2, clip(end, frame) - clip(start, frame))}
          height={18}
        />
        {clip(end, frame) - clip(start, frame) > 56 && (
          <text
            className="tl-silence-text"
            x={(clip(start, frame) + clip(end, frame)) / 2}
            y={top + 18}
          >
            {toStretch(end - start, run.clock)}
          </text>
        )}
      </g>
    ))
}
