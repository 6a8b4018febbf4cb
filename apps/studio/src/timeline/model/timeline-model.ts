import { isPauseReason, showHiddenCharacters, traitsOf } from 'millrace'
import type { Piece, RunEndEvent, RunStartEvent, StepEndEvent, StreamEvent } from 'millrace'
import { readNumber } from '../../json/index.ts'
import type { LoggedFrame } from '../../session/frames/index.ts'
import { TimelineLane } from './timeline-lane.ts'
import type { FramePiece, KnownAgent } from './timeline-lane.ts'
import type { BarKind, Lane, Run } from './timeline.ts'

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

type Handler<Event> = (model: Model, lane: TimelineLane, event: Event, piece: FramePiece) => void
type Handlers = { readonly [Type in StreamEvent['type']]?: Handler<EventOf<Type>> }
type EventOf<Type extends StreamEvent['type']> = StreamEvent & { readonly type: Type }
type StatusEvent = EventOf<'tool_status'>

/** Effects of the stages of a call. */
const stages: Readonly<
  Record<string, (lane: TimelineLane, event: StatusEvent, piece: FramePiece) => void>
> = {
  started: (lane, { callId, name }, piece) => lane.startTool(callId, name, piece),
  progress: (lane, { callId }, piece) => lane.growCall(callId, piece),
  approval_requested: (lane, { callId, name }, piece) =>
    lane.openCall('waiting', callId, name, piece),
  approved: (lane, { callId }, { at }) => lane.endCall(callId, at),
  answered: (lane, { callId }, { at }) => lane.endCall(callId, at),
  refused: (lane, { callId }, { at }) => lane.endCall(callId, at, true),
}

function handleResult(
  _: Model,
  lane: TimelineLane,
  { callId, end, isError }: EventOf<'tool_result' | 'server_tool_result'>,
  piece: FramePiece,
) {
  lane.growCall(callId, piece)
  if (!end) return
  lane.endCall(callId, piece.at, isError)
  lane.markAsked(piece.at)
}

function handlePending(
  _: Model,
  lane: TimelineLane,
  { calls }: EventOf<'awaiting_approval' | 'awaiting_frontend_tools'>,
  piece: FramePiece,
): void {
  for (const { callId, name } of calls)
    if (callId !== '') lane.openCall('waiting', callId, name, piece)
}

const handleProse =
  (kind: BarKind): Handler<Piece> =>
  (_, lane, { block, end }, piece) => {
    lane.addPiece(kind, block, piece)
    if (end) lane.endBlock(block, piece.at)
  }

function handleCall(
  _: Model,
  lane: TimelineLane,
  { block, end, callId, name }: EventOf<'tool_call' | 'server_tool_call'>,
  piece: FramePiece,
): void {
  const label = showHiddenCharacters(name, { isSingleLine: true })
  lane.addPiece('input', block, piece, label)
  if (!end) return
  lane.endBlock(block, piece.at)
  lane.openCall('running', callId, label, piece)
}

/** Effects of each event on the lane of its agent. */
const handlers: Handlers = {
  text: handleProse('text'),
  thinking: handleProse('thinking'),
  tool_call: handleCall,
  server_tool_call: handleCall,
  tool_result: handleResult,
  server_tool_result: handleResult,
  tool_status: (_, lane, event, piece) => stages[event.stage]?.(lane, event, piece),
  user_message: (_, lane, { end }, { at }) => end && lane.markAsked(at),
  awaiting_frontend_tools: handlePending,
  awaiting_approval: handlePending,
  run_start: (model, lane, event, { at }) => model.startAgent(lane, event, at),
  step_end: (_, lane, { stopReason = '', ...event }, { at }) =>
    lane.endStep(at, { ...toFigures(event), stopReason }),
  rollback: (_, lane, __, { at }) => lane.rollBack(at),
  run_end: (model, lane, event, { at }) => model.endAgent(lane, event, at),
  error: (_, lane, __, { at }) => lane.endStep(at, { stopReason: 'error' }),
}

class Model implements TimelineModel {
  runs: Run[] = []
  #lanes = new Map<string, TimelineLane>()
  #root: string | undefined
  #nextNumber: number
  /** Known agents: a later run may not introduce them again. */
  readonly #known = new Map<string, KnownAgent>()
  /** Agents whose run has an incomplete start. */
  readonly #beginning = new Set<string>()

  constructor(firstNumber: number) {
    this.#nextNumber = firstNumber
  }

  readonly add = (frame: LoggedFrame): void => {
    const { agent, event } = frame
    if (this.#isNewRun(frame)) this.#open(frame)
    const run = this.runs.at(-1) ?? this.#open(frame)
    const piece = this.#place(run, frame)
    const lane = agent === '' ? undefined : this.#laneOf(run, agent, piece.since)
    if (lane) this.#markSilence(run, lane, piece)
    run.times.push(piece.at)
    run.bytes += frame.bytes
    run.isStored = frame.isStored
    lane?.count(piece)
    if (lane && event) this.#handle(lane, event, piece)
  }

  readonly forgetBefore = (index: number): void => {
    const { runs } = this
    const kept = runs.findIndex(
      (_, position) => (runs[position + 1]?.firstIndex ?? Infinity) > index,
    )
    if (kept > 0) this.runs = runs.slice(kept)
  }

  /** Starts an agent: the root with its prompt, or a spawned one. */
  startAgent(lane: TimelineLane, start: RunStartEvent, at: number): void {
    const { name, prompt = '', model = '', parentAgent, parentToolUseId } = start
    const { data } = lane
    const run = this.runs.at(-1)
    data.name = name ?? data.name
    data.isAsked = true
    lane.markAsked(at)
    if (run && data.agent === this.#root) {
      run.prompt = prompt
      run.model = model
    }
    if (parentAgent !== undefined) this.#nest(data, parentAgent, parentToolUseId)
    this.#known.set(data.agent, { name: data.name, parent: data.parent, depth: data.depth })
  }

  #nest(data: Lane, parent: string, call: string | undefined): void {
    data.parent = parent
    data.depth = Math.min(8, (this.#lanes.get(parent)?.data.depth ?? 0) + 1)
    if (call !== undefined) this.#lanes.get(parent)?.linkAgent(call, data.name)
  }

  /** Ends or pauses an agent. */
  endAgent(lane: TimelineLane, end: RunEndEvent, at: number): void {
    const { stopReason = '' } = end
    const isPause = isPauseReason(stopReason)
    if (isPause) lane.endStep(at)
    else lane.end(at)
    const run = this.runs.at(-1)
    if (!run || lane.data.agent !== this.#root) return
    run.isOver = !isPause
    run.stopReason = stopReason
    Object.assign(run, toFigures(end))
  }

  #isNewRun({ type, agent, event }: LoggedFrame): boolean {
    if (!traitsOf(type)?.startsRun) return false
    const isFirstPiece = !this.#beginning.has(agent)
    if (event) this.#beginning.delete(agent)
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

  #place(run: Run, frame: LoggedFrame): FramePiece {
    const { index, bytes, time, since, event } = frame
    const last = run.times.at(-1) ?? 0
    const isOrder = run.clock === 'order'
    const at = Math.max(last, isOrder ? index - run.firstIndex : time - run.startTime)
    // Merged messages began before their frame.
    const began = isOrder ? at : Math.max(last, Math.min(at, since - run.startTime))
    if (event && event.span > 1) run.merged++
    const chars = event && 'text' in event ? event.text.length : 0
    return { at, since: began, index, bytes, chars }
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

  #handle(lane: TimelineLane, event: StreamEvent, piece: FramePiece): void {
    const handle = handlers[event.type] as Handler<StreamEvent> | undefined
    handle?.(this, lane, event, piece)
  }
}

function isWithoutCalls({ openCalls }: TimelineLane): boolean {
  return openCalls === 0
}

function toFigures({
  usage,
  cost,
}: Pick<StepEndEvent, 'usage' | 'cost'>): Pick<Run, 'inputTokens' | 'outputTokens' | 'cost'> {
  return {
    inputTokens: readNumber(usage, 'input_tokens'),
    outputTokens: readNumber(usage, 'output_tokens'),
    cost: readNumber(cost, 'total_cost'),
  }
}
