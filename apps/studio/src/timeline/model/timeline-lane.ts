import type { Bar, BarKind, Lane, Run, Step } from './timeline.ts'

/** What came with a frame, as far as bars need it. */
export interface Piece {
  /** When it came, and when the first of the messages that it stands for did, from the start of the run. */
  readonly at: number
  readonly since: number
  readonly index: number
  readonly bytes: number
  readonly chars: number
}

/** What earlier runs have told of an agent. */
export type KnownAgent = Pick<Lane, 'name' | 'parent' | 'depth'>

const newcomer: KnownAgent = { name: '', parent: undefined, depth: 0 }

/** Rows beyond this are not told apart. */
const MAX_ROWS = 6

/** Keeps the bars and steps of one agent in one run while frames come. */
export class LaneBook {
  readonly lane: Lane
  readonly #run: Run
  /** What the model says now, by type and id. */
  readonly #said = new Map<string, Bar>()
  /** Calls that run or wait, by id. */
  readonly #calls = new Map<string, { bar: Bar; step: Step | undefined }>()
  /** Which rows are taken, by whom. */
  readonly #rows: (Bar | undefined)[] = []
  #step: Step | undefined
  /** The first bar that a rollback takes back. */
  #boundary = 0
  /** When the model was asked last. */
  #asked: number

  constructor(run: Run, agent: string, at: number, known: KnownAgent = newcomer) {
    this.#run = run
    this.#asked = at
    const { name, parent, depth } = known
    const names = { name, parent, depth, isAsked: false, rows: 1 }
    const sums = { frames: 0, bytes: 0 }
    this.lane = { agent, ...names, ...sums, bars: [], steps: [], start: at, end: at }
  }

  /** Whether it is the model's turn and it has begun. */
  get isSpeaking(): boolean {
    return this.#step !== undefined && this.#calls.size === 0
  }

  get openCalls(): number {
    return this.#calls.size
  }

  count({ at, bytes }: Piece): void {
    this.lane.frames++
    this.lane.bytes += bytes
    this.lane.end = Math.max(this.lane.end, at)
  }

  /** The model is asked anew. */
  ask(at: number): void {
    this.#asked = at
  }

  /** The model says something; gives its bar. */
  say(kind: BarKind, key: string, piece: Piece, label = ''): Bar {
    const step = this.#openStep(piece)
    step.chars += piece.chars
    step.bytes += piece.bytes
    let bar = this.#said.get(key)
    if (!bar) {
      bar = this.#open(kind, label, '', piece, 0)
      this.#said.set(key, bar)
    }
    grow(bar, piece)
    return bar
  }

  /** What the model said is whole. */
  settle(key: string, at: number): void {
    const bar = this.#said.get(key)
    if (bar) bar.end = at
    this.#said.delete(key)
  }

  /** A call is whole: it waits for its tool, or runs. */
  startCall(kind: BarKind, id: string, label: string, piece: Piece): void {
    const open = this.#calls.get(id)
    if (open?.bar.kind === kind || open?.bar.kind === 'subagent') return
    if (open && isUnbegun(open.bar)) {
      open.bar.kind = kind
      return
    }
    if (open) this.endCall(id, piece.at)
    const bar = this.#open(kind, label, id, piece, this.#freeRow())
    this.#rows[bar.row] = bar
    this.lane.rows = Math.max(this.lane.rows, bar.row + 1)
    const step = open?.step ?? this.lane.steps.at(-1)
    step?.calls.push(bar)
    this.#calls.set(id, { bar, step })
  }

  /** A tool begins, some time after its call was whole. */
  beginCall(id: string, label: string, piece: Piece): void {
    const bar = this.#calls.get(id)?.bar
    if (bar && isUnbegun(bar)) bar.start = piece.at
    else if (bar?.kind !== 'running') this.startCall('running', id, label, piece)
    this.growCall(id, piece)
  }

  growCall(id: string, piece: Piece): void {
    const bar = this.#calls.get(id)?.bar
    if (bar) grow(bar, { ...piece, chars: 0 })
  }

  /** A call was answered, or a person has decided. */
  endCall(id: string, at: number, isError = false): void {
    const { bar } = this.#calls.get(id) ?? {}
    if (!bar) return
    this.#calls.delete(id)
    bar.end = Math.max(bar.start, at)
    bar.isError = isError
    if (this.#rows[bar.row] === bar) this.#rows[bar.row] = undefined
  }

  /** A call has spawned an agent. */
  nameAgent(id: string, name: string): void {
    const bar = this.#calls.get(id)?.bar
    if (!bar) return
    bar.kind = 'subagent'
    bar.label = name || bar.label
  }

  endStep(at: number, told: Partial<Step> = {}): void {
    this.#settleAll(at)
    const step = this.#step
    this.#step = undefined
    this.#boundary = this.lane.bars.length
    if (step) Object.assign(step, told, { end: at })
    this.#asked = at
  }

  /** What the step has said so far is void. */
  rollBack(at: number): void {
    this.#settleAll(at)
    for (const bar of this.lane.bars.slice(this.#boundary)) {
      if (bar.row > 0 && !isUnbegun(bar)) continue
      bar.isVoid = true
      // Nobody runs a call that was taken back.
      this.endCall(bar.id, bar.start)
    }
    this.#boundary = this.lane.bars.length
  }

  /** Nothing more comes; what is open ends here. */
  end(at: number): void {
    this.endStep(at)
    for (const id of this.#calls.keys()) this.endCall(id, at)
  }

  #settleAll(at: number): void {
    for (const key of this.#said.keys()) this.settle(key, at)
  }

  #openStep({ since, index }: Piece): Step {
    if (this.#step) return this.#step
    const { agent, steps } = this.lane
    const when = { start: Math.min(this.#asked, since), firstToken: since, firstIndex: index }
    const unknown = { inputTokens: undefined, outputTokens: undefined, cost: undefined }
    const sums = { chars: 0, bytes: 0 }
    const step: Step = {
      agent,
      number: steps.length + 1,
      ...when,
      end: undefined,
      stopReason: '',
      ...unknown,
      ...sums,
      calls: [],
    }
    this.#run.firstToken ??= since
    steps.push(step)
    return (this.#step = step)
  }

  #open(kind: BarKind, label: string, id: string, piece: Piece, row: number): Bar {
    const { index: firstIndex } = piece
    const start = kind === 'running' || kind === 'waiting' ? piece.at : piece.since
    const state = { end: undefined, isError: false, isVoid: false }
    const bar: Bar = {
      kind,
      label,
      id,
      start,
      ...state,
      firstIndex,
      frames: 0,
      bytes: 0,
      chars: 0,
      row,
    }
    this.lane.bars.push(bar)
    return bar
  }

  #freeRow(): number {
    for (let row = 1; row < MAX_ROWS; row++) if (!this.#rows[row]) return row
    return MAX_ROWS
  }
}

function grow(bar: Bar, { bytes, chars }: Piece): void {
  bar.frames++
  bar.bytes += bytes
  bar.chars += chars
}

/** A call that is whole, and of which no tool has said that it runs. */
function isUnbegun({ kind, frames }: Bar): boolean {
  return kind === 'running' && frames === 0
}
