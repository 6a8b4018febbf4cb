import { createEnvelopeDecoder, createJoiner, showHiddenCharacters } from 'millrace'
import type { Envelope } from 'millrace'
import { readField, readNumber, readString } from '../../json/index.ts'
import type { LoggedFrame } from '../../session/frames/index.ts'
import { LaneBook } from './timeline-lane.ts'
import type { KnownAgent, Piece } from './timeline-lane.ts'
import type { BarKind, Lane, Run, Step } from './timeline.ts'

/** Silence of the model that is worth a mark, in milliseconds. */
export const SILENCE_MS = 1_000

/** What happened in a session, as bars on lanes; it grows in place. */
export interface TimelineModel {
  readonly runs: readonly Run[]
  /** Takes the next frame in; the cost does not depend on what came before. */
  readonly add: (frame: LoggedFrame) => void
  /** Leaves out runs whose frames all lie before an index. */
  readonly forgetBefore: (index: number) => void
}

/** Creates a timeline of nothing yet, whose first run has a number. */
export function createTimelineModel(firstNumber = 1): TimelineModel {
  return new Model(firstNumber)
}

type Take = (model: Model, book: LaneBook, envelope: Envelope, piece: Piece) => void

/** What the model says, by type of message. */
const spoken: Readonly<Record<string, BarKind>> = {
  text: 'text',
  thinking: 'thinking',
  tool_call: 'input',
  server_tool_call: 'input',
}

/** What a stage of a call changes. */
const stages: Readonly<Record<string, (book: LaneBook, envelope: Envelope, piece: Piece) => void>> =
  {
    started: (book, { id = '', name }, piece) => book.beginCall(id, toText(name), piece),
    progress: (book, { id = '' }, piece) => book.growCall(id, piece),
    approval_requested: (book, { id = '', name }, piece) =>
      book.startCall('waiting', id, toText(name), piece),
    approved: (book, { id = '' }, { at }) => book.endCall(id, at),
    answered: (book, { id = '' }, { at }) => book.endCall(id, at),
    refused: (book, { id = '' }, { at }) => book.endCall(id, at, true),
  }

function takeResult(
  _: Model,
  book: LaneBook,
  { id = '', final, is_error }: Envelope,
  piece: Piece,
) {
  book.growCall(id, piece)
  if (!final) return
  book.endCall(id, piece.at, is_error === true)
  book.ask(piece.at)
}

function takeAwaited(_: Model, book: LaneBook, { delta }: Envelope, piece: Piece): void {
  const payload = parse(delta)
  const calls = Array.isArray(payload) ? payload : readField(payload, 'tools')
  if (!Array.isArray(calls)) return
  for (const call of calls as readonly unknown[]) {
    const id = readString(call, 'tool_use_id')
    if (id !== undefined) book.startCall('waiting', id, readString(call, 'name') ?? '', piece)
  }
}

/** What each type of message does to the lane of its agent; payloads come whole. */
const takes: Readonly<Record<string, Take>> = {
  tool_result: takeResult,
  server_tool_result: takeResult,
  tool_status: (_, book, envelope, piece) =>
    stages[toText(envelope['stage'])]?.(book, envelope, piece),
  user_message: (_, book, { final }, { at }) => final && book.ask(at),
  awaiting_frontend_tools: takeAwaited,
  awaiting_approval: takeAwaited,
  meta_init: (model, book, { delta }, { at }) => model.begin(book, parse(delta), at),
  meta_step: (_, book, { delta }, { at }) => book.endStep(at, toStepFigures(parse(delta))),
  rollback: (_, book, __, { at }) => book.rollBack(at),
  meta_end: (model, book, { delta }, { at }) => model.end(book, parse(delta), at),
  aborted: (model, book, _, { at }) => model.end(book, { stop_reason: 'aborted' }, at),
  error: (_, book, __, { at }) => book.endStep(at, { stopReason: 'error' }),
}

const payloadTypes: ReadonlySet<string> = new Set(
  Object.keys(takes).filter((type) => type.includes('meta_') || type.includes('awaiting_')),
)

class Model implements TimelineModel {
  runs: Run[] = []
  readonly #decode = createEnvelopeDecoder()
  readonly #joiner = createJoiner()
  #books = new Map<string, LaneBook>()
  #root: string | undefined
  #nextNumber: number
  /** Agents introduce themselves once, and may be heard of in later runs. */
  readonly #known = new Map<string, KnownAgent>()
  /** Agents whose `meta_init` has begun and goes on. */
  readonly #beginning = new Set<string>()

  constructor(firstNumber: number) {
    this.#nextNumber = firstNumber
  }

  readonly add = (frame: LoggedFrame): void => {
    const envelope = this.#read(frame)
    if (envelope && this.#isNewRun(envelope)) this.#open(frame)
    const run = this.runs.at(-1) ?? this.#open(frame)
    const piece = this.#place(run, frame, envelope)
    const book = envelope && this.#bookOf(run, envelope.agent, piece.since)
    if (book) this.#markSilence(run, book, piece)
    run.times.push(piece.at)
    run.bytes += frame.bytes
    run.isStored = frame.isStored
    book?.count(piece)
    if (book) this.#take(book, envelope, piece)
  }

  readonly forgetBefore = (index: number): void => {
    const { runs } = this
    const kept = runs.findIndex(
      (_, position) => (runs[position + 1]?.firstIndex ?? Infinity) > index,
    )
    if (kept > 0) this.runs = runs.slice(kept)
  }

  /** An agent starts: the root with its prompt, or one that was spawned. */
  begin(book: LaneBook, meta: unknown, at: number): void {
    const { lane } = book
    const run = this.runs.at(-1)
    lane.name = readString(meta, 'name') ?? lane.name
    lane.isAsked = true
    book.ask(at)
    if (run && lane.agent === this.#root) {
      run.prompt = readString(meta, 'user_query') ?? ''
      run.model = readString(meta, 'model') ?? ''
    }
    const parent = readString(meta, 'parent_agent_uuid')
    if (parent !== undefined) this.#nest(lane, parent, readString(meta, 'parent_tool_use_id'))
    this.#known.set(lane.agent, { name: lane.name, parent: lane.parent, depth: lane.depth })
  }

  #nest(lane: Lane, parent: string, call: string | undefined): void {
    lane.parent = parent
    lane.depth = Math.min(8, (this.#books.get(parent)?.lane.depth ?? 0) + 1)
    if (call !== undefined) this.#books.get(parent)?.nameAgent(call, lane.name)
  }

  /** An agent ends, or waits. */
  end(book: LaneBook, told: unknown, at: number): void {
    const stopReason = readString(told, 'stop_reason') ?? ''
    const isPause = stopReason.startsWith('awaiting_')
    if (isPause) book.endStep(at)
    else book.end(at)
    const run = this.runs.at(-1)
    if (!run || book.lane.agent !== this.#root) return
    run.isOver = !isPause
    run.stopReason = stopReason
    Object.assign(run, toFigures(told))
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
    if (last) for (const book of this.#books.values()) book.end(last.times.at(-1) ?? 0)
    this.#books = new Map()
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

  #place(run: Run, frame: LoggedFrame, envelope: Envelope | undefined): Piece {
    const { index, bytes, time, since } = frame
    const last = run.times.at(-1) ?? 0
    const isOrder = run.clock === 'order'
    const at = Math.max(last, isOrder ? index - run.firstIndex : time - run.startTime)
    // Merged messages began before the frame that carries them.
    const began = isOrder ? at : Math.max(last, Math.min(at, since - run.startTime))
    if ((envelope?.span ?? 1) > 1) run.merged++
    return { at, since: began, index, bytes, chars: envelope?.delta.length ?? 0 }
  }

  #bookOf(run: Run, agent: string, at: number): LaneBook {
    this.#root ??= agent
    let book = this.#books.get(agent)
    if (!book) {
      book = new LaneBook(run, agent, at, this.#known.get(agent))
      this.#books.set(agent, book)
      run.lanes.push(book.lane)
    }
    return book
  }

  #markSilence(run: Run, book: LaneBook, { since: end }: Piece): void {
    const start = run.times.at(-1) ?? 0
    if (run.clock === 'order' || end - start < SILENCE_MS) return
    const books = [...this.#books.values()]
    const isSilence = books.some(({ isSpeaking }) => isSpeaking) && books.every(isWithoutCalls)
    if (isSilence) run.silences.push({ agent: book.lane.agent, start, end })
  }

  #take(book: LaneBook, envelope: Envelope, piece: Piece): void {
    const { type, id = '', name, final } = envelope
    const kind = spoken[type]
    if (kind !== undefined) {
      const key = `${type} ${id}`
      const label = showHiddenCharacters(toText(name), { isSingleLine: true })
      book.say(kind, key, piece, label)
      if (!final) return
      book.settle(key, piece.at)
      if (kind === 'input') book.startCall('running', id, label, piece)
      return
    }
    const whole = payloadTypes.has(type) ? this.#join(envelope) : envelope
    if (whole) takes[type]?.(this, book, whole, piece)
  }

  #join(envelope: Envelope): Envelope | undefined {
    try {
      return this.#joiner.push(envelope)
    } catch {
      return undefined
    }
  }
}

function isWithoutCalls({ openCalls }: LaneBook): boolean {
  return openCalls === 0
}

function toFigures(told: unknown): Pick<Run, 'inputTokens' | 'outputTokens' | 'cost'> {
  const usage = readField(told, 'usage')
  return {
    inputTokens: readNumber(usage, 'input_tokens'),
    outputTokens: readNumber(usage, 'output_tokens'),
    cost: readNumber(readField(told, 'cost'), 'total_cost'),
  }
}

function toStepFigures(told: unknown): Partial<Step> {
  return { ...toFigures(told), stopReason: readString(told, 'stop_reason') ?? '' }
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
