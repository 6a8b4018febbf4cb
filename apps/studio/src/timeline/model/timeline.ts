/** What a bar stands for, with the words for it; the order is that of the legend. */
export const barKinds = {
  text: 'Text',
  thinking: 'Thinking',
  input: 'Tool input',
  running: 'Tool running',
  waiting: 'Waiting for a person',
  subagent: 'Sub-agent',
} as const

/** What a bar stands for. */
export type BarKind = keyof typeof barKinds

/** A stretch of time in which something of an agent went on. Times count from the start of the run. */
export interface Bar {
  kind: BarKind
  /** The name of the tool or the agent, empty for what the model says. */
  label: string
  /** The id of the call, empty for what the model says. */
  readonly id: string
  start: number
  /** Undefined while it goes on. */
  end: number | undefined
  isError: boolean
  /** It was taken back, and said anew. */
  isVoid: boolean
  /** The frame that it began with. */
  firstIndex: number
  frames: number
  bytes: number
  /** How much the model wrote, in characters. */
  chars: number
  /** 0 is for what the model says, the others for tools that run side by side. */
  row: number
}

/** One call of the model. */
export interface Step {
  readonly agent: string
  readonly number: number
  /** When the model was asked, as far as the stream tells. */
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
  /** What its calls did and waited for. */
  readonly calls: Bar[]
}

/** One agent in a run. */
export interface Lane {
  readonly agent: string
  name: string
  parent: string | undefined
  depth: number
  /** It was asked in this run, not only told of the end of an earlier one. */
  isAsked: boolean
  readonly bars: Bar[]
  readonly steps: Step[]
  /** How many rows its bars take. */
  rows: number
  start: number
  end: number
  frames: number
  bytes: number
}

/** A time in which the model said nothing though it was its turn. */
export interface Silence {
  readonly agent: string
  readonly start: number
  readonly end: number
}

/** All that followed one question. */
export interface Run {
  /** Counts from 1. */
  readonly number: number
  prompt: string
  model: string
  /** What times are: milliseconds, or where they are not known, messages. */
  readonly clock: 'time' | 'order'
  /** The server has told when its messages were stored; else times are those of their arrival. */
  isStored: boolean
  /** When it began, in milliseconds since the epoch. */
  readonly startTime: number
  readonly firstIndex: number
  /** When each of its frames came, from the first on. */
  readonly times: number[]
  readonly lanes: Lane[]
  readonly silences: Silence[]
  /** How long the first word took. */
  firstToken: number | undefined
  bytes: number
  stopReason: string
  isOver: boolean
  inputTokens: number | undefined
  outputTokens: number | undefined
  cost: number | undefined
  /** How many of its frames stand for several messages, merged by the server. [LOG-5] */
  merged: number
}

/** When a run ended, or how far it is. */
export function endOf({ times }: Pick<Run, 'times'>): number {
  return times.at(-1) ?? 0
}

/** All steps of a run, in the order in which they began. */
export function stepsOf({ lanes }: Run): readonly Step[] {
  return lanes.flatMap(({ steps }) => steps).toSorted((one, other) => one.start - other.start)
}

/** The lanes that have something to show: an agent may be told only that what it had asked earlier is off. */
export function listActive(lanes: readonly Lane[]): readonly Lane[] {
  const active = lanes.filter(({ isAsked, bars }) => isAsked || bars.length > 0)
  return active.length > 0 ? active : lanes.slice(0, 1)
}

/** The lanes of a run, each under the one that spawned it. */
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
  // Agents that name each other as parents are shown all the same.
  for (const lane of lanes) take(lane)
  return [...ordered]
}
