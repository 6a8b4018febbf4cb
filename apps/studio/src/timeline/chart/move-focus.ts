import type { ChartLayout, Shape } from './chart-layout.ts'

/** Returns the next bar along its lane, or the nearest one in another lane. */
export function moveFocus(
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
