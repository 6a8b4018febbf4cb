import { listActive, nestLanes } from '../model/index.ts'
import type { Bar, BarKind, Lane, Run } from '../model/index.ts'

/** The part of a run that a chart shows. */
export interface Window {
  readonly from: number
  readonly to: number
}

/** Dimensions of a chart. */
export interface ChartFrame extends Window {
  readonly width: number
  /** Left edge of the time scale; names are left of it. */
  readonly left: number
  /** End of bars that are in progress. */
  readonly now: number
  /** Number of frames, which changes when a run grows in place. */
  readonly frames: number
}

/** Values that map times to positions. */
export type ChartScale = Omit<ChartFrame, 'now' | 'frames'>

/** A rectangle: one bar, or several that are too small to distinguish. */
export interface Shape {
  readonly x: number
  readonly width: number
  readonly y: number
  readonly height: number
  readonly kind: BarKind
  readonly bar: Bar
  readonly lane: Lane
  /** Number of bars in it. */
  readonly count: number
}

/** Layout of one agent's lane. */
export interface LaneLayout {
  readonly lane: Lane
  /** Top of its bars. */
  readonly top: number
  /** Top of its name, beside or above the bars. */
  readonly nameTop: number
  readonly height: number
  readonly shapes: readonly Shape[]
}

/** Layout of a run. */
export interface ChartLayout {
  readonly lanes: readonly LaneLayout[]
  readonly height: number
}

/** The height of the time scale above the lanes. */
export const AXIS_HEIGHT = 26
/** Below this width names are above their bars. */
const NARROW = 520
const NAMES_WIDTH = 132
const LANE_PADDING = 7
/** The height of a name above its bars. */
const NAME_HEIGHT = 15
const MODEL_HEIGHT = 14
const TOOL_HEIGHT = 9
const ROW_GAP = 3
/** The smallest width of a rectangle. */
const LEAST_WIDTH = 2

/** Returns the left edge of the time scale. */
export function toLeft(width: number): number {
  return width < NARROW ? 0 : NAMES_WIDTH
}

/** Returns the position of a time in pixels. */
export function toX(at: number, { from, to, left, width }: ChartScale): number {
  return left + ((at - from) / Math.max(1e-6, to - from)) * (width - left)
}

/** Returns the time at a position in pixels. */
export function toTime(x: number, { from, to, left, width }: ChartScale): number {
  return from + ((x - left) / Math.max(1, width - left)) * (to - from)
}

/** Lays out a run with at most as many rectangles as pixels. */
export function layoutRun(run: Run, frame: ChartFrame): ChartLayout {
  let top = AXIS_HEIGHT
  const head = frame.left === 0 ? NAME_HEIGHT : 0
  const lanes = nestLanes(listActive(run.lanes)).map((lane) => {
    const rows = MODEL_HEIGHT + (lane.rows - 1) * (TOOL_HEIGHT + ROW_GAP)
    const height = head + 2 * LANE_PADDING + rows
    const shapes = layoutLane(lane, top + head + LANE_PADDING, frame)
    const layout = { lane, top: top + head, nameTop: top, height: height - head, shapes }
    top += height
    return layout
  })
  return { lanes, height: top }
}

function layoutLane(lane: Lane, top: number, frame: ChartFrame): readonly Shape[] {
  const shapes: Shape[] = []
  /** Index of the last rectangle of each row. */
  const last: (number | undefined)[] = []
  for (const bar of lane.bars) {
    const end = bar.end ?? Math.max(bar.start, frame.now)
    if (end < frame.from || bar.start > frame.to) continue
    const shape = toShape(bar, lane, end, top, frame)
    const place = last[bar.row]
    const before = place === undefined ? undefined : shapes[place]
    if (before && place !== undefined && isCrowded(before, shape)) {
      shapes[place] = merge(before, shape)
    } else {
      last[bar.row] = shapes.push(shape) - 1
    }
  }
  return shapes
}

function toShape(bar: Bar, lane: Lane, end: number, top: number, frame: ChartFrame): Shape {
  const x = Math.max(frame.left, toX(bar.start, frame))
  const right = Math.min(frame.width, toX(end, frame))
  const isModel = bar.row === 0
  const y = isModel ? top : top + MODEL_HEIGHT + ROW_GAP + (bar.row - 1) * (TOOL_HEIGHT + ROW_GAP)
  const height = isModel ? MODEL_HEIGHT : TOOL_HEIGHT
  const width = Math.max(LEAST_WIDTH, right - x)
  return { x, width, y, height, kind: bar.kind, bar, lane, count: 1 }
}

/** Reports whether two small rectangles touch. */
function isCrowded(before: Shape, after: Shape): boolean {
  const touches = after.x - (before.x + before.width) < 1
  const isSmall = after.width <= LEAST_WIDTH && (before.count > 1 || before.width <= LEAST_WIDTH)
  return touches && isSmall
}

function merge(before: Shape, after: Shape): Shape {
  const width = Math.max(before.width, after.x + after.width - before.x)
  return { ...before, width, count: before.count + after.count }
}

const steps = [1, 2, 5]

/** Returns round times for the scale, no more than fit. */
export function toTicks({ from, to }: Window, maxTicks: number): readonly number[] {
  const least = (to - from) / Math.max(1, maxTicks)
  let size = 10 ** Math.floor(Math.log10(Math.max(1e-3, least)))
  size *= steps.find((step) => step * size >= least) ?? 10
  const ticks: number[] = []
  for (let at = Math.ceil(from / size) * size; at <= to; at += size) ticks.push(at)
  return ticks
}

/** Formats a time on the scale. */
export function toTickLabel(at: number, size: number, clock: Run['clock']): string {
  if (clock === 'order') return Math.round(at).toLocaleString('en')
  if (at === 0) return '0'
  if (size < 1_000 && at < 1_000) return `${Math.round(at)} ms`
  const seconds = at / 1_000
  if (seconds < 120) return `${Number(seconds.toFixed(size < 100 ? 2 : size < 1_000 ? 1 : 0))} s`
  const minutes = Math.floor(seconds / 60)
  return `${minutes}:${String(Math.round(seconds % 60)).padStart(2, '0')}`
}
