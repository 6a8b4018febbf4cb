import { toCount, toDollars, toStretch } from './format-figures.ts'
import { toSize } from '../wire/format.ts'
import { endOf, stepsOf } from './timeline.ts'
import type { Lane, Run, Step } from './timeline.ts'

/** How fast a model wrote, and in what. */
export interface Rate {
  readonly perSecond: number
  readonly unit: 'tokens' | 'characters'
}

/** What a step, an agent or a run took. */
export interface Figures {
  readonly firstToken: number | undefined
  readonly total: number
  readonly steps: number
  readonly toolTime: number
  readonly waitTime: number
  readonly inputTokens: number | undefined
  readonly outputTokens: number | undefined
  readonly cost: number | undefined
  readonly bytes: number
  readonly rate: Rate | undefined
}

/** Below this, a rate says more about clocks than about models. */
const LEAST_WRITING_MS = 20

/** How fast the model wrote: in tokens where the provider has counted them, else in characters. */
function rateOf(steps: readonly Step[], clock: Run['clock']): Rate | undefined {
  const ended = steps.filter(({ end }) => end !== undefined)
  const writing = sum(ended.map(({ firstToken, end = 0 }) => end - firstToken))
  if (clock === 'order' || writing < LEAST_WRITING_MS) return undefined
  const tokens = sumKnown(ended.map(({ outputTokens }) => outputTokens))
  if (tokens !== undefined) return { perSecond: (tokens * 1_000) / writing, unit: 'tokens' }
  const chars = sum(ended.map((step) => step.chars))
  return { perSecond: (chars * 1_000) / writing, unit: 'characters' }
}

/** What one step took. */
export function figuresOfStep(step: Step, clock: Run['clock']): Figures {
  const { start, firstToken, end, toolTime, inputTokens, outputTokens, cost, bytes } = step
  return {
    firstToken: firstToken - start,
    total: (end ?? firstToken) - start,
    steps: 1,
    toolTime,
    waitTime: 0,
    inputTokens,
    outputTokens,
    cost,
    bytes,
    rate: rateOf([step], clock),
  }
}

/** What one agent took. */
export function figuresOfLane(lane: Lane, clock: Run['clock']): Figures {
  const { steps, start, end, toolTime, waitTime, bytes } = lane
  const [first] = steps
  return {
    firstToken: first && first.firstToken - start,
    total: end - start,
    steps: steps.length,
    toolTime,
    waitTime,
    bytes,
    inputTokens: sumKnown(steps.map(({ inputTokens }) => inputTokens)),
    outputTokens: sumKnown(steps.map(({ outputTokens }) => outputTokens)),
    cost: sumKnown(steps.map(({ cost }) => cost)),
    rate: rateOf(steps, clock),
  }
}

/** What a run took, all of its agents together. */
export function figuresOfRun(run: Run): Figures {
  const { lanes, clock, firstToken, bytes } = run
  const steps = stepsOf(run)
  // A call that spawned an agent lasts as long as that agent; its tools are counted there.
  const tools = lanes.flatMap(({ bars }) => bars).filter(({ kind }) => kind === 'running')
  return {
    firstToken,
    total: endOf(run),
    steps: steps.length,
    toolTime: sum(tools.map(({ start, end = endOf(run) }) => end - start)),
    waitTime: sum(lanes.map(({ waitTime }) => waitTime)),
    // What the end of a run tells counts all agents.
    inputTokens: run.inputTokens ?? sumKnown(steps.map(({ inputTokens }) => inputTokens)),
    outputTokens: run.outputTokens ?? sumKnown(steps.map(({ outputTokens }) => outputTokens)),
    cost: run.cost ?? sumKnown(steps.map(({ cost }) => cost)),
    bytes,
    rate: rateOf(steps, clock),
  }
}

/** A column of the tables of figures. */
export interface Column {
  readonly label: string
  /** What it means, for those who ask. */
  readonly title: string
  readonly read: (figures: Figures) => number | undefined
  readonly show: (value: number, clock: Run['clock']) => string
  /** Less of it is better, as a rule. */
  readonly isCost: boolean
}

const column = (
  label: string,
  title: string,
  read: Column['read'],
  show: Column['show'],
  isCost = true,
): Column => ({ label, title, read, show, isCost })

const orNone = (value: number): number | undefined => (value > 0 ? value : undefined)

/** All figures, in the order of the tables. */
export const columns = {
  firstToken: column(
    'First token',
    'From the question to the first word',
    (f) => f.firstToken,
    toStretch,
  ),
  total: column('Total', 'From the question to the end', (f) => f.total, toStretch),
  steps: column('Steps', 'Calls of the model', (f) => f.steps, toCount),
  toolTime: column('Tools', 'How long tools ran, added up', (f) => orNone(f.toolTime), toStretch),
  waitTime: column(
    'People',
    'How long it waited for a person',
    (f) => orNone(f.waitTime),
    toStretch,
  ),
  inputTokens: column('Tokens in', 'What the model read', (f) => f.inputTokens, toCount),
  outputTokens: column('Tokens out', 'What the model wrote', (f) => f.outputTokens, toCount),
  cost: column('Cost', 'As the server has counted it', (f) => f.cost, toDollars),
  bytes: column('Bytes', 'What went over the wire', (f) => f.bytes, toSize),
  rate: column(
    'Speed',
    'What the model wrote in a second',
    (f) => f.rate?.perSecond,
    toCount,
    false,
  ),
} as const satisfies Record<string, Column>

/** A figure as a table shows it; empty if it is not known. */
export function showFigure(
  name: keyof typeof columns,
  figures: Figures,
  clock: Run['clock'],
): string {
  const { read, show } = columns[name]
  const value = read(figures)
  if (value === undefined) return '–'
  const text = show(value, clock)
  if (name !== 'rate') return text
  return `${text} ${figures.rate?.unit === 'tokens' ? 'tok/s' : 'chars/s'}`
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function sumKnown(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined)
  return known.length > 0 ? sum(known) : undefined
}
