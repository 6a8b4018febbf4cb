import type { Bar, BarKind, Lane, Run, Step } from './timeline.ts'

/** Facts of a frame that bars need. */
export interface FramePiece {
  /** Time of the frame, and of its first merged message, from the start of the run. */
  readonly at: number
  readonly since: number
  readonly index: number
  readonly bytes: number
  readonly chars: number
}

/** Facts about an agent from earlier runs. */
export type KnownAgent = Pick<Lane, 'name' | 'parent' | 'depth'>

const unknownAgent: KnownAgent = { name: '', parent: undefined, depth: 0 }

/** The number of rows in a lane; further tools share the last one. */
const MAX_ROWS = 6

/** Builds the lane of one agent in one run from frames. */
export class TimelineLane {
  readonly data: Lane
  readonly #run: Run
  /** Bars of open blocks by type and id. */
  readonly #openBlocks = new Map<string, Bar>()
  /** Calls that run or wait, by id. */
  readonly #calls = new Map<string, { bar: Bar; step: Step | undefined }>()
  /** Occupied rows. */
  readonly #rows: (Bar | undefined)[] = []
  #step: Step | undefined
  /** The first bar that a rollback voids. */
  #rollbackStart = 0
  /** Time of the last request to the model. */
  #askedAt: number

  constructor(run: Run, agent: string, at: number, known: KnownAgent = unknownAgent) {
    this.#run = run
    this.#askedAt = at
    const { name, parent, depth } = known
    const names = { name, parent, depth, isAsked: false, rows: 1 }
    const sums = { frames: 0, bytes: 0 }
    this.data = { agent, ...names, ...sums, bars: [], steps: [], start: at, end: at }
  }

  /** Reports whether the model is in a step and no call is open. */
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

  /** Records a request to the model. */
  markAsked(at: number): void {
    this.#askedAt = at
  }

  /** Adds a piece of a block and returns its bar. */
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

  /** Ends a block. */
  endBlock(key: string, at: number): void {
    const bar = this.#openBlocks.get(key)
    if (bar) bar.end = at
    this.#openBlocks.delete(key)
  }

  /** Opens the bar of a complete call. */
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

  /** Starts the tool of a call. */
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

  /** Ends a call with its result or a decision. */
  endCall(id: string, at: number, isError = false): void {
    const { bar } = this.#calls.get(id) ?? {}
    if (!bar) return
    this.#calls.delete(id)
    bar.end = Math.max(bar.start, at)
    bar.isError = isError
    if (this.#rows[bar.row] === bar) this.#rows[bar.row] = undefined
  }

  /** Links a call to the agent that it spawned. */
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

  /** Voids the step so far. */
  rollBack(at: number): void {
    this.#endBlocks(at)
    for (const bar of this.data.bars.slice(this.#rollbackStart)) {
      if (bar.row > 0 && !isNotStarted(bar)) continue
      bar.isVoid = true
      // A voided call does not run.
      this.endCall(bar.id, bar.start)
    }
    this.#rollbackStart = this.data.bars.length
  }

  /** Ends all open bars. */
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

/** Reports whether the tool of a complete call has not started. */
function isNotStarted({ kind, frames }: Bar): boolean {
  return kind === 'running' && frames === 0
}
