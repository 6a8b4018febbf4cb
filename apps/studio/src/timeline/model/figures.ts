import { toCount, toDollars, toSize } from '../../text/index.ts'
import { toStretch } from './labels.ts'
import { timeCovered } from './time-covered.ts'
import { endOf, stepsOf } from './timeline.ts'
import type { Bar, BarKind, Lane, Run, Step } from './timeline.ts'

/** Speed of a model. */
export interface Rate {
  readonly perSecond: number
  readonly unit: 'tokens' | 'characters'
}

/** Figures of a step, an agent or a run. */
export interface Figures {
  readonly firstToken: number | undefined
  readonly total: number
  readonly steps: number
  /** Time in which a model worked, a tool ran, or a call waited for a user; overlaps count once. */
  readonly modelTime: number
  readonly toolTime: number
  readonly waitTime: number
  readonly inputTokens: number | undefined
  readonly outputTokens: number | undefined
  readonly cost: number | undefined
  readonly bytes: number
  readonly rate: Rate | undefined
}

/** Below this time a rate is not meaningful. */
const LEAST_WRITING_MS = 20

/** Returns the speed of the model: in tokens if they are known, otherwise in characters. */
function rateOf(steps: readonly Step[], clock: Run['clock']): Rate | undefined {
  const ended = steps.filter(({ end }) => end !== undefined)
  const writing = sum(ended.map(({ firstToken, end = 0 }) => end - firstToken))
  if (clock === 'order' || writing < LEAST_WRITING_MS) return undefined
  const tokens = sumKnown(ended.map(({ outputTokens }) => outputTokens))
  if (tokens !== undefined) return { perSecond: (tokens * 1_000) / writing, unit: 'tokens' }
  const chars = sum(ended.map((step) => step.chars))
  return { perSecond: (chars * 1_000) / writing, unit: 'characters' }
}

type Times = Pick<Figures, 'modelTime' | 'toolTime' | 'waitTime'>

/** Returns the times of models, tools and waiting so far. A call that spawned an agent is not a tool. */
function timesOf(steps: readonly Step[], bars: readonly Bar[], until: number): Times {
  const timeOf = (wanted: BarKind): number =>
    timeCovered(
      bars.filter(({ kind }) => kind === wanted),
      until,
    )
  return {
    modelTime: timeCovered(steps, until),
    toolTime: timeOf('running'),
    waitTime: timeOf('waiting'),
  }
}

/** Returns the figures of a step. */
export function figuresOfStep(step: Step, run: Run): Figures {
  const { start, firstToken, end, calls, inputTokens, outputTokens, cost, bytes } = step
  return {
    firstToken: firstToken - start,
    total: (end ?? endOf(run)) - start,
    steps: 1,
    ...timesOf([step], calls, endOf(run)),
    inputTokens,
    outputTokens,
    cost,
    bytes,
    rate: rateOf([step], run.clock),
  }
}

/** Returns the figures of an agent. */
export function figuresOfLane(lane: Lane, { clock }: Pick<Run, 'clock'>): Figures {
  const { steps, bars, start, end, bytes } = lane
  const [first] = steps
  return {
    firstToken: first && first.firstToken - start,
    total: end - start,
    steps: steps.length,
    ...timesOf(steps, bars, end),
    bytes,
    inputTokens: sumKnown(steps.map(({ inputTokens }) => inputTokens)),
    outputTokens: sumKnown(steps.map(({ outputTokens }) => outputTokens)),
    cost: sumKnown(steps.map(({ cost }) => cost)),
    rate: rateOf(steps, clock),
  }
}

/** Returns the figures of a run with all agents. */
export function figuresOfRun(run: Run): Figures {
  const { lanes, clock, firstToken, bytes } = run
  const steps = stepsOf(run)
  const bars = lanes.flatMap((lane) => lane.bars)
  return {
    firstToken,
    total: endOf(run),
    steps: steps.length,
    ...timesOf(steps, bars, endOf(run)),
    // The end of a run counts all agents.
    inputTokens: run.inputTokens ?? sumKnown(steps.map(({ inputTokens }) => inputTokens)),
    outputTokens: run.outputTokens ?? sumKnown(steps.map(({ outputTokens }) => outputTokens)),
    cost: run.cost ?? sumKnown(steps.map(({ cost }) => cost)),
    bytes,
    rate: rateOf(steps, clock),
  }
}

/** A column of the tables. */
export interface Column {
  readonly label: string
  /** Explanation, as a tooltip. */
  readonly title: string
  readonly read: (figures: Figures) => number | undefined
  readonly show: (value: number, clock: Run['clock']) => string
  /** Less is better. */
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
    'From the prompt to the first token',
    (f) => f.firstToken,
    toStretch,
  ),
  total: column('Total', 'From the prompt to the end', (f) => f.total, toStretch),
  steps: column('Steps', 'Calls of the model', (f) => f.steps, toCount),
  modelTime: column(
    'Model',
    'Time in which a model worked, from the request to the end of its output',
    (f) => orNone(f.modelTime),
    toStretch,
  ),
  toolTime: column(
    'Tools',
    'Time in which at least one tool ran; parallel tools count once, sub-agents are not tools',
    (f) => orNone(f.toolTime),
    toStretch,
  ),
  waitTime: column(
    'Human wait',
    'Time of waiting for a person',
    (f) => orNone(f.waitTime),
    toStretch,
  ),
  inputTokens: column('Tokens in', 'Tokens that the model read', (f) => f.inputTokens, toCount),
  outputTokens: column('Tokens out', 'Tokens that the model wrote', (f) => f.outputTokens, toCount),
  cost: column('Cost', 'Cost according to the server', (f) => f.cost, toDollars),
  bytes: column('Bytes', 'Bytes on the wire', (f) => f.bytes, toSize),
  rate: column('Speed', 'Output of the model per second', (f) => f.rate?.perSecond, toCount, false),
} as const satisfies Record<string, Column>

/** Formats a figure; a dash if it is unknown. */
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
