import { createEnvelopeDecoder, createJoiner, showHiddenCharacters } from 'millrace'
import type { Envelope } from 'millrace'
import { readField, readNumber, readString } from '../../json/index.ts'
import type { LoggedFrame } from '../../session/frames/index.ts'
import { TimelineLane } from './timeline-lane.ts'
import type { FramePiece, KnownAgent } from './timeline-lane.ts'
import type { BarKind, Lane, Run, Step } from './timeline.ts'

/** The length of a silence that is marked, in milliseconds. */
export const SILENCE_MS = 1_000

/** The runs of a session as bars in lanes; it grows in place. */
export interface TimelineModel {
  readonly runs: readonly Run[]
  /** Adds the next frame at a constant cost. */
  readonly add: (frame: LoggedFrame) => void
  /** Removes runs whose frames are all before an index. */
  readonly forgetBefore: (index: number) => void
}

/** Creates an empty timeline with the number of its first run. */
export function createTimelineModel(firstNumber = 1): TimelineModel {
  return new Model(firstNumber)
}

type Handler = (model: Model, lane: TimelineLane, envelope: Envelope, piece: FramePiece) => void

/** Kinds of bars by type of block. */
const blockKinds: Readonly<Record<string, BarKind>> = {
  text: 'text',
  thinking: 'thinking',
  tool_call: 'input',
  server_tool_call: 'input',
}

/** Effects of the stages of a call. */
const stages: Readonly<
  Record<string, (lane: TimelineLane, envelope: Envelope, piece: FramePiece) => void>
> = {
  started: (lane, { id = '', name }, piece) => lane.startTool(id, toText(name), piece),
  progress: (lane, { id = '' }, piece) => lane.growCall(id, piece),
  approval_requested: (lane, { id = '', name }, piece) =>
    lane.openCall('waiting', id, toText(name), piece),
  approved: (lane, { id = '' }, { at }) => lane.endCall(id, at),
  answered: (lane, { id = '' }, { at }) => lane.endCall(id, at),
  refused: (lane, { id = '' }, { at }) => lane.endCall(id, at, true),
}

function handleResult(
  _: Model,
  lane: TimelineLane,
  { id = '', final, is_error }: Envelope,
  piece: FramePiece,
) {
  lane.growCall(id, piece)
  if (!final) return
  lane.endCall(id, piece.at, is_error === true)
  lane.markAsked(piece.at)
}

function handlePending(_: Model, lane: TimelineLane, { delta }: Envelope, piece: FramePiece): void {
  const payload = parse(delta)
  const calls = Array.isArray(payload) ? payload : readField(payload, 'tools')
  if (!Array.isArray(calls)) return
  for (const call of calls as readonly unknown[]) {
    const id = readString(call, 'tool_use_id')
    if (id !== undefined) lane.openCall('waiting', id, readString(call, 'name') ?? '', piece)
  }
}

/** Effects of each type on the lane of its agent; payloads are complete. */
const handlers: Readonly<Record<string, Handler>> = {
  tool_result: handleResult,
  server_tool_result: handleResult,
  tool_status: (_, lane, envelope, piece) =>
    stages[toText(envelope['stage'])]?.(lane, envelope, piece),
  user_message: (_, lane, { final }, { at }) => final && lane.markAsked(at),
  awaiting_frontend_tools: handlePending,
  awaiting_approval: handlePending,
  meta_init: (model, lane, { delta }, { at }) => model.startAgent(lane, parse(delta), at),
  meta_step: (_, lane, { delta }, { at }) => lane.endStep(at, toStepFigures(parse(delta))),
  rollback: (_, lane, __, { at }) => lane.rollBack(at),
  meta_end: (model, lane, { delta }, { at }) => model.endAgent(lane, parse(delta), at),
  aborted: (model, lane, _, { at }) => model.endAgent(lane, { stop_reason: 'aborted' }, at),
  error: (_, lane, __, { at }) => lane.endStep(at, { stopReason: 'error' }),
}

const payloadTypes: ReadonlySet<string> = new Set(
  Object.keys(handlers).filter((type) => type.includes('meta_') || type.includes('awaiting_')),
)

class Model implements TimelineModel {
  runs: Run[] = []
  readonly #decode = createEnvelopeDecoder()
  readonly #joiner = createJoiner()
  #lanes = new Map<string, TimelineLane>()
  #root: string | undefined
  #nextNumber: number
  /** Known agents: a later run may not introduce them again. */
  readonly #known = new Map<string, KnownAgent>()
  /** Agents with an incomplete `meta_init`. */
  readonly #beginning = new Set<string>()

  constructor(firstNumber: number) {
    this.#nextNumber = firstNumber
  }

  readonly add = (frame: LoggedFrame): void => {
    const envelope = this.#read(frame)
    if (envelope && this.#isNewRun(envelope)) this.#open(frame)
    const run = this.runs.at(-1) ?? this.#open(frame)
    const piece = this.#place(run, frame, envelope)
    const lane = envelope && this.#laneOf(run, envelope.agent, piece.since)
    if (lane) this.#markSilence(run, lane, piece)
    run.times.push(piece.at)
    run.bytes += frame.bytes
    run.isStored = frame.isStored
    lane?.count(piece)
    if (lane) this.#handle(lane, envelope, piece)
  }

  readonly forgetBefore = (index: number): void => {
    const { runs } = this
    const kept = runs.findIndex(
      (_, position) => (runs[position + 1]?.firstIndex ?? Infinity) > index,
    )
    if (kept > 0) this.runs = runs.slice(kept)
  }

  /** Starts an agent: the root with its prompt, or a spawned one. */
  startAgent(lane: TimelineLane, meta: unknown, at: number): void {
    const { data } = lane
    const run = this.runs.at(-1)
    data.name = readString(meta, 'name') ?? data.name
    data.isAsked = true
    lane.markAsked(at)
    if (run && data.agent === this.#root) {
      run.prompt = readString(meta, 'user_query') ?? ''
      run.model = readString(meta, 'model') ?? ''
    }
    const parent = readString(meta, 'parent_agent_uuid')
    if (parent !== undefined) this.#nest(data, parent, readString(meta, 'parent_tool_use_id'))
    this.#known.set(data.agent, { name: data.name, parent: data.parent, depth: data.depth })
  }

  #nest(data: Lane, parent: string, call: string | undefined): void {
    data.parent = parent
    data.depth = Math.min(8, (this.#lanes.get(parent)?.data.depth ?? 0) + 1)
    if (call !== undefined) this.#lanes.get(parent)?.linkAgent(call, data.name)
  }

  /** Ends or pauses an agent. */
  endAgent(lane: TimelineLane, payload: unknown, at: number): void {
    const stopReason = readString(payload, 'stop_reason') ?? ''
    const isPause = stopReason.startsWith('awaiting_')
    if (isPause) lane.endStep(at)
    else lane.end(at)
    const run = this.runs.at(-1)
    if (!run || lane.data.agent !== this.#root) return
    run.isOver = !isPause
    run.stopReason = stopReason
    Object.assign(run, toFigures(payload))
  }

  #read({ data }: LoggedFrame): Envelope | undefined {
    try {
      return this.#decode(data)
    } catch {
      return undefined
    }
  }

  #isNewRun({ type, agent, final }: Envelope): boolean {
    if (type !== 'meta_init') return false
    const isFirstPiece = !this.#beginning.has(agent)
    if (final) this.#beginning.delete(agent)
    else this.#beginning.add(agent)
    this.#root ??= agent
    return isFirstPiece && agent === this.#root
  }

  #open({ index, since, isTimed }: LoggedFrame): Run {
    const last = this.runs.at(-1)
    if (last) for (const lane of this.#lanes.values()) lane.end(last.times.at(-1) ?? 0)
    this.#lanes = new Map()
    const run: Run = {
      number: this.#nextNumber++,
      prompt: '',
      model: '',
      clock: isTimed ? 'time' : 'order',
      isStored: false,
      startTime: since,
      firstIndex: index,
      times: [],
      lanes: [],
      silences: [],
      firstToken: undefined,
      bytes: 0,
      stopReason: '',
      isOver: false,
      inputTokens: undefined,
      outputTokens: undefined,
      cost: undefined,
      merged: 0,
    }
    this.runs.push(run)
    return run
  }

  #place(run: Run, frame: LoggedFrame, envelope: Envelope | undefined): FramePiece {
    const { index, bytes, time, since } = frame
    const last = run.times.at(-1) ?? 0
    const isOrder = run.clock === 'order'
    const at = Math.max(last, isOrder ? index - run.firstIndex : time - run.startTime)
    // Merged messages began before their frame.
    const began = isOrder ? at : Math.max(last, Math.min(at, since - run.startTime))
    if ((envelope?.span ?? 1) > 1) run.merged++
    return { at, since: began, index, bytes, chars: envelope?.delta.length ?? 0 }
  }

  #laneOf(run: Run, agent: string, at: number): TimelineLane {
    this.#root ??= agent
    let lane = this.#lanes.get(agent)
    if (!lane) {
      lane = new TimelineLane(run, agent, at, this.#known.get(agent))
      this.#lanes.set(agent, lane)
      run.lanes.push(lane.data)
    }
    return lane
  }

  #markSilence(run: Run, lane: TimelineLane, { since: end }: FramePiece): void {
    const start = run.times.at(-1) ?? 0
    if (run.clock === 'order' || end - start < SILENCE_MS) return
    const lanes = [...this.#lanes.values()]
    const isSilence =
      lanes.some(({ isModelActive }) => isModelActive) && lanes.every(isWithoutCalls)
    if (isSilence) run.silences.push({ agent: lane.data.agent, start, end })
  }

  #handle(lane: TimelineLane, envelope: Envelope, piece: FramePiece): void {
    const { type, id = '', name, final } = envelope
    const kind = blockKinds[type]
    if (kind !== undefined) {
      const key = `${type} ${id}`
      const label = showHiddenCharacters(toText(name), { isSingleLine: true })
      lane.addPiece(kind, key, piece, label)
      if (!final) return
      lane.endBlock(key, piece.at)
      if (kind === 'input') lane.openCall('running', id, label, piece)
      return
    }
    const whole = payloadTypes.has(type) ? this.#join(envelope) : envelope
    if (whole) handlers[type]?.(this, lane, whole, piece)
  }

  #join(envelope: Envelope): Envelope | undefined {
    try {
      return this.#joiner.push(envelope)
    } catch {
      return undefined
    }
  }
}

function isWithoutCalls({ openCalls }: TimelineLane): boolean {
  return openCalls === 0
}

function toFigures(payload: unknown): Pick<Run, 'inputTokens' | 'outputTokens' | 'cost'> {
  const usage = readField(payload, 'usage')
  return {
    inputTokens: readNumber(usage, 'input_tokens'),
    outputTokens: readNumber(usage, 'output_tokens'),
    cost: readNumber(readField(payload, 'cost'), 'total_cost'),
  }
}

function toStepFigures(payload: unknown): Partial<Step> {
  return { ...toFigures(payload), stopReason: readString(payload, 'stop_reason') ?? '' }
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
