/** Labels of the kinds of bars, in the order of the legend. */
export const barKinds = {
  text: 'Text',
  thinking: 'Thinking',
  input: 'Tool input',
  running: 'Tool running',
  waiting: 'Waiting for a person',
  subagent: 'Sub-agent',
} as const

/** Kind of a bar. */
export type BarKind = keyof typeof barKinds

/** An activity of an agent. Times count from the start of the run. */
export interface Bar {
  kind: BarKind
  /** Name of the tool or the agent; empty for blocks of the model. */
  label: string
  /** Id of the call; empty for blocks of the model. */
  readonly id: string
  start: number
  /** Undefined while it is in progress. */
  end: number | undefined
  isError: boolean
  /** It was rolled back. */
  isVoid: boolean
  /** Index of its first frame. */
  firstIndex: number
  frames: number
  bytes: number
  /** Number of characters that the model wrote. */
  chars: number
  /** 0 for blocks of the model, others for parallel tools. */
  row: number
}

/** A call of the model. */
export interface Step {
  readonly agent: string
  readonly number: number
  /** Time of the request, as far as the stream shows it. */
  readonly start: number
  readonly firstToken: number
  readonly firstIndex: number
  end: number | undefined
  stopReason: string
  inputTokens: number | undefined
  outputTokens: number | undefined
  cost: number | undefined
  chars: number
  bytes: number
  /** Bars of its calls. */
  readonly calls: Bar[]
}

/** An agent in a run. */
export interface Lane {
  readonly agent: string
  name: string
  parent: string | undefined
  depth: number
  /** The agent was prompted in this run, and not only ended. */
  isAsked: boolean
  readonly bars: Bar[]
  readonly steps: Step[]
  /** Number of rows. */
  rows: number
  start: number
  end: number
  frames: number
  bytes: number
}

/** A time in which the model sent nothing during its step. */
interface Silence {
  readonly agent: string
  readonly start: number
  readonly end: number
}

/** A run: everything that follows one prompt. */
export interface Run {
  /** Counts from 1. */
  readonly number: number
  prompt: string
  model: string
  /** Unit of times: milliseconds, or messages if times are unknown. */
  readonly clock: 'time' | 'order'
  /** Times are storage times of the server; otherwise times of arrival. */
  isStored: boolean
  /** Start in milliseconds since the epoch. */
  readonly startTime: number
  readonly firstIndex: number
  /** Time of each frame. */
  readonly times: number[]
  readonly lanes: Lane[]
  readonly silences: Silence[]
  /** Time to first token. */
  firstToken: number | undefined
  bytes: number
  stopReason: string
  isOver: boolean
  inputTokens: number | undefined
  outputTokens: number | undefined
  cost: number | undefined
  /** Number of frames with several merged messages. [LOG-5] */
  merged: number
}

/** Returns the end of a run, or its last frame so far. */
export function endOf({ times }: Pick<Run, 'times'>): number {
  return times.at(-1) ?? 0
}

/** Returns all steps of a run in order. */
export function stepsOf({ lanes }: Run): readonly Step[] {
  return lanes.flatMap(({ steps }) => steps).toSorted((one, other) => one.start - other.start)
}

/** Returns the lanes with activity: an agent of an earlier run may only be ended. */
export function listActive(lanes: readonly Lane[]): readonly Lane[] {
  const active = lanes.filter(({ isAsked, bars }) => isAsked || bars.length > 0)
  return active.length > 0 ? active : lanes.slice(0, 1)
}

/** Returns the lanes of a run, each below its parent. */
export function nestLanes(lanes: readonly Lane[]): readonly Lane[] {
  const known = new Set(lanes.map(({ agent }) => agent))
  const children = new Map<string, Lane[]>()
  for (const lane of lanes) {
    const key = lane.parent !== undefined && known.has(lane.parent) ? lane.parent : ''
    children.set(key, [...(children.get(key) ?? []), lane])
  }
  const ordered = new Set<Lane>()
  const take = (lane: Lane): void => {
    if (ordered.has(lane)) return
    ordered.add(lane)
    for (const child of children.get(lane.agent) ?? []) take(child)
  }
  for (const lane of children.get('') ?? []) take(lane)
  // Agents that name each other as parents are shown as well.
  for (const lane of lanes) take(lane)
  return [...ordered]
}
