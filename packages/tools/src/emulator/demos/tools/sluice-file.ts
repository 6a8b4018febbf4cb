/** The file that the demos write. */
export const sluice = {
  path: 'drafts/sluice.ts',
  content: `/** How far a sluice is open, from 0 to 1. */
export type Opening = number

/** What the keeper of a sluice knows. */
export interface Sluice {
  /** The level that the race should have, in centimetres. */
  readonly wanted: number
  /** The most that the gate may move in one step. */
  readonly maxStep: number
}

/** The level at which the keeper is woken. */
const FLOOD = 180

/** Decides how far to open the gate: a little more when the water is low, a little less when it is high, and shut when there is a flood. */
export function nextOpening(sluice: Sluice, level: number, opening: Opening): Opening {
  if (level >= FLOOD) return 0
  const missing = (sluice.wanted - level) / sluice.wanted
  const step = clamp(missing, -sluice.maxStep, sluice.maxStep)
  return clamp(opening + step, 0, 1)
}

/** Follows a series of levels and gives the opening for each. */
export function* keep(sluice: Sluice, levels: Iterable<number>): Generator<Opening> {
  let opening: Opening = 0.5
  for (const level of levels) {
    opening = nextOpening(sluice, level, opening)
    yield opening
  }
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high)
}
`,
}
