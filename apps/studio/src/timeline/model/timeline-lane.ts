import type { Bar, BarKind, Lane, Run, Step } from './timeline.ts'

/** What came with a frame, as far as bars need it. */
export interface FramePiece {
  /** When it came, and when the first of the messages that it stands for did, from the start of the run. */
  readonly at: number
  readonly since: number
  readonly index: number
  readonly bytes: number
  readonly chars: number
}

/** What earlier runs have told of an agent. */
export type KnownAgent = Pick<Lane, 'name' | 'parent' | 'depth'>

const unknownAgent: KnownAgent = { name: '', parent: undefined, depth: 0 }

/** Rows beyond this are not told apart. */
const MAX_ROWS = 6

/** Keeps the bars and steps of one agent in one run while frames come. */
export class TimelineLane {
  readonly data: Lane
  readonly #run: Run
  /** What the model says now, by type and id. */
  readonly #openBlocks = new Map<string, Bar>()
  /** Calls that run or wait, by id. */
  readonly #calls = new Map<string, { bar: Bar; step: Step | undefined }>()
  /** Which rows are taken, by whom. */
  readonly #rows: (Bar | undefined)[] = []
  #step: Step | undefined
  /** The first bar that a rollback takes back. */
  #rollbackStart = 0
  /** When the model was asked last. */
  #askedAt: number

  constructor(run: Run, agent: string, at: number, known: KnownAgent = unknownAgent) {
    this.#run = run
    this.#askedAt = at
    const { name, parent, depth } = known
    const names = { name, parent, depth, isAsked: false, rows: 1 }
    const sums = { frames: 0, bytes: 0 }
    this.data = { agent, ...names, ...sums, bars: [], steps: [], start: at, end: at }
  }

  /** Whether it is the model's turn and it has begun. */
  get isModelActive(): boolean {
    return this.#step !== undefined && this.#calls.size === 0
  }

  get openCalls(): number {
    return this.#calls.size
  }

  count({ at, bytes }: FramePiece): void {
    this.data.frames++
    this.data.bytes += bytes
    this.data.end = Math.max(this.data.end, at)
  }

  /** The model is asked anew. */
  markAsked(at: number): void {
    this.#askedAt = at
  }

  /** The model says something; gives its bar. */
  addPiece(kind: BarKind, key: string, piece: FramePiece, label = ''): Bar {
    const step = this.#openStep(piece)
    step.chars += piece.chars
    step.bytes += piece.bytes
    let bar = this.#openBlocks.get(key)
    if (!bar) {
      bar = this.#open(kind, label, '', piece, 0)
      this.#openBlocks.set(key, bar)
    }
    grow(bar, piece)
    return bar
  }

  /** What the model said is whole. */
  endBlock(key: string, at: number): void {
    const bar = this.#openBlocks.get(key)
    if (bar) bar.end = at
    this.#openBlocks.delete(key)
  }

  /** A call is whole: it waits for its tool, or runs. */
  openCall(kind: BarKind, id: string, label: string, piece: FramePiece): void {
    const open = this.#calls.get(id)
    if (open?.bar.kind === kind || open?.bar.kind === 'subagent') return
    if (open && isNotStarted(open.bar)) {
      open.bar.kind = kind
      return
    }
    if (open) this.endCall(id, piece.at)
    const bar = this.#open(kind, label, id, piece, this.#freeRow())
    this.#rows[bar.row] = bar
    this.data.rows = Math.max(this.data.rows, bar.row + 1)
    const step = open?.step ?? this.data.steps.at(-1)
    step?.calls.push(bar)
    this.#calls.set(id, { bar, step })
  }

  /** A tool begins, some time after its call was whole. */
  startTool(id: string, label: string, piece: FramePiece): void {
    const bar = this.#calls.get(id)?.bar
    if (bar && isNotStarted(bar)) bar.start = piece.at
    else if (bar?.kind !== 'running') this.openCall('running', id, label, piece)
    this.growCall(id, piece)
  }

  growCall(id: string, piece: FramePiece): void {
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
  linkAgent(id: string, name: string): void {
    const bar = this.#calls.get(id)?.bar
    if (!bar) return
    bar.kind = 'subagent'
    bar.label = name || bar.label
  }

  endStep(at: number, figures: Partial<Step> = {}): void {
    this.#endBlocks(at)
    const step = this.#step
    this.#step = undefined
    this.#rollbackStart = this.data.bars.length
    if (step) Object.assign(step, figures, { end: at })
    this.#askedAt = at
  }

  /** What the step has said so far is void. */
  rollBack(at: number): void {
    this.#endBlocks(at)
    for (const bar of this.data.bars.slice(this.#rollbackStart)) {
      if (bar.row > 0 && !isNotStarted(bar)) continue
      bar.isVoid = true
      // Nobody runs a call that was taken back.
      this.endCall(bar.id, bar.start)
    }
    this.#rollbackStart = this.data.bars.length
  }

  /** Nothing more comes; what is open ends here. */
  end(at: number): void {
    this.endStep(at)
    for (const id of this.#calls.keys()) this.endCall(id, at)
  }

  #endBlocks(at: number): void {
    for (const key of this.#openBlocks.keys()) this.endBlock(key, at)
  }

  #openStep({ since, index }: FramePiece): Step {
    if (this.#step) return this.#step
    const { agent, steps } = this.data
    const when = { start: Math.min(this.#askedAt, since), firstToken: since, firstIndex: index }
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

  #open(kind: BarKind, label: string, id: string, piece: FramePiece, row: number): Bar {
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
    this.data.bars.push(bar)
    return bar
  }

  #freeRow(): number {
    for (let row = 1; row < MAX_ROWS; row++) if (!this.#rows[row]) return row
    return MAX_ROWS
  }
}

function grow(bar: Bar, { bytes, chars }: FramePiece): void {
  bar.frames++
  bar.bytes += bytes
  bar.chars += chars
}

/** A call that is whole, and of which no tool has said that it runs. */
function isNotStarted({ kind, frames }: Bar): boolean {
  return kind === 'running' && frames === 0
}
