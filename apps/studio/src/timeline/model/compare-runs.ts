import { columns, figuresOfRun, showFigure } from './figures.ts'
import type { Column } from './figures.ts'
import type { Run } from './timeline.ts'

/** A figure of two runs. */
export interface Difference {
  readonly label: string
  readonly title: string
  readonly one: string
  readonly other: string
  /** Difference of the other run; empty if a value is unknown or both are equal. */
  readonly change: string
  /** Whether the difference is an improvement in time or cost. */
  readonly tone: 'better' | 'worse' | 'same'
}

const names = Object.keys(columns) as readonly (keyof typeof columns)[]

/** Compares the figures of two runs. */
export function compareRuns(one: Run, other: Run): readonly Difference[] {
  const [before, after] = [figuresOfRun(one), figuresOfRun(other)]
  const isSameClock = one.clock === other.clock
  return names.map((name) => {
    const { label, title, ...column }: Column = columns[name]
    const [from, to] = [column.read(before), column.read(after)]
    const isKnown = from !== undefined && to !== undefined && from !== to
    const isSameUnit = name !== 'rate' || before.rate?.unit === after.rate?.unit
    const canCompare = isKnown && isSameClock && isSameUnit
    return {
      label,
      title,
      one: showFigure(name, before, one.clock),
      other: showFigure(name, after, other.clock),
      change: canCompare ? toChange(from, to, column, one.clock) : '',
      tone: canCompare ? (to < from === column.isCost ? 'better' : 'worse') : 'same',
    }
  })
}

function toChange(
  from: number,
  to: number,
  { show }: Pick<Column, 'show'>,
  clock: Run['clock'],
): string {
  const sign = to > from ? '+' : '−'
  const amount = `${sign}${show(Math.abs(to - from), clock)}`
  const percent = Math.round((Math.abs(to - from) / from) * 100)
  return from > 0 && percent > 0 && percent < 1_000 ? `${amount} (${sign}${percent} %)` : amount
}
