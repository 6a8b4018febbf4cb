import {
  blockKey,
  createEnvelopeDecoder,
  encodeEnvelope,
  type Envelope,
  traitsOf,
  createDecoder,
  createStepTracker,
  firstIdOf,
  frameStart,
  type Piece,
  type StreamEvent,
} from '../../events/index.ts'
import type { LogEntry } from '../../stores/port/index.ts'
import { hasAt } from './line-bytes.ts'

/** A range of ids, without its end. */
interface Range {
  readonly from: number
  readonly to: number
}

/** A step that was rolled back, up to the first frame of the rollback. [LIFE-8] */
interface VoidStep extends Range {
  /** Keys of its blocks that the reader has begun and that are not closed. */
  readonly begun: Set<string>
}

/** Content of a void step that was left out, from an id on. */
export interface HiddenContent {
  readonly from: number
  /** The id of the first frame of the rollback. */
  readonly rollback: number
}

/** The position of a reader in a log. */
export interface ReaderPosition {
  readonly session: string
  /** The id of the root agent; the session's if absent. */
  readonly root?: string
  /** The id of the last frame that the reader has. */
  readonly after: number
  /** Number of protocol frames of the next log frame that it has. [DIA-2] */
  readonly frames?: number
  /** Void content left out of the frames that it has. [DIA-5] */
  readonly hidden?: readonly HiddenContent[]
  /** The format, if it differs from the log's: frames are then replayed from the start of the run. */
  readonly format?: unknown
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/**
 * Finds the rolled-back steps in one pass over a log and leaves out their content. A reader that has part of a void block gets
 * the frame that closes it. [LOG-10]
 */
export class VoidSteps {
  /** The beginning of the frame that starts a run. */
  readonly #runStart: Uint8Array
  readonly #seen: number
  /** Start of the void content that was left out, by the id of its rollback. */
  readonly #hidden: ReadonlyMap<number, number>
  readonly #isFormatted: boolean
  /** Decodes frames, which {@link filter} changes or leaves out one by one. */
  readonly #decode = createEnvelopeDecoder()
  readonly #decoder = createDecoder()
  readonly #tracker = createStepTracker()
  /** The first frame of content whose event is not complete. */
  #partFrom: number | undefined
  /** The void steps of each agent, in order. */
  readonly #steps = new Map<string, VoidStep[]>()
  /** Ranges of the log with void steps, sorted and disjoint. */
  readonly #parts: Range[] = []
  /** Begun blocks of each agent's current step. */
  readonly #begun = new Map<string, Set<string>>()
  /** First ids of runs. */
  readonly #runs: number[] = []
  #listed: (Range & { readonly hidden: readonly HiddenContent[] }) | undefined
  #scanned: number

  /** `start` is the id after which frames are scanned; it must not lie inside a step. */
  constructor(position: ReaderPosition, start: number) {
    const { session, root = session, after, frames = 0, hidden = [], format } = position
    this.#runStart = frameStart('run_start', root)
    this.#seen = frames > 0 ? after + 1 : after
    this.#hidden = new Map(hidden.map(({ from, rollback }) => [rollback, from]))
    this.#isFormatted = format !== undefined
    this.#scanned = start
  }

  /** The id of the last frame scanned. */
  get scanned(): number {
    return this.#scanned
  }

  /** The last id up to which nothing can become void. */
  get settled(): number {
    const from = this.#partFrom ?? this.#scanned + 1
    return Math.min(this.#scanned, from - 1, (this.#tracker.firstUnsettledId() ?? from) - 1)
  }

  /** Whether nothing is void. */
  get isEmpty(): boolean {
    return this.#parts.length === 0
  }

  scan(entries: readonly LogEntry[]): void {
    for (const { id, line } of entries) {
      this.follow(line, id)
      this.#take(this.#decode(decoder.decode(line)), id)
      this.#scanned = id
    }
  }

  /** Removes void content. Entries must have been scanned, and come in order. */
  filter(entries: readonly LogEntry[]): readonly LogEntry[] {
    if (this.isEmpty) return entries
    return entries.flatMap((entry) => {
      const { id, line } = entry
      if (findRange(this.#parts, id) === undefined) return [entry]
      const envelope = this.#decode(decoder.decode(line))
      const step = findRange(this.#steps.get(envelope.agent) ?? [], id)
      if (step === undefined || traitsOf(envelope.type)?.step !== 'content') return [entry]
      if (id >= this.#hiddenFrom(step)) return closeBegun(step, envelope, id)
      if (this.#isFormatted) followBlock(step.begun, envelope)
      return [entry]
    })
  }

  /** Registers a run that begins at a frame, scanned or not. From there on, content of earlier runs is no longer listed. */
  follow(line: Uint8Array, id: number): void {
    if (!hasAt(line, this.#runStart, 0) || id <= (this.#runs.at(-1) ?? 0)) return
    this.#runs.push(id)
    this.#listed = undefined
  }

  /** Lists void content left out of a run, up to an id. */
  hiddenUpTo(id: number): readonly HiddenContent[] {
    if (this.isEmpty) return []
    if (this.#listed === undefined || findRange([this.#listed], id) === undefined)
      this.#listed = this.#listAt(id)
    return this.#listed.hidden
  }

  /** The list at an id, with the range in which it stays the same. */
  #listAt(id: number) {
    const all = [...this.#steps.values()].flat().map((step) => ({
      from: this.#hiddenFrom(step),
      rollback: step.to,
    }))
    const changes = [...this.#runs, ...all.map(({ from }) => from)]
    const run = this.#runs.findLast((start) => start <= id) ?? 0
    const hidden = all.filter(({ from }) => from >= run && from <= id)
    return {
      from: Math.max(0, ...changes.filter((change) => change <= id)),
      to: Math.min(...changes.filter((change) => change > id), Infinity),
      hidden: hidden.toSorted((one, other) => one.rollback - other.rollback),
    }
  }

  #take(frame: Envelope, id: number): void {
    const { type, agent } = frame
    const isContent = traitsOf(type)?.step === 'content'
    if (isContent && id <= this.#seen && !this.#isFormatted)
      followBlock(this.#begunBy(agent), frame)
    const event = this.#decoder.decodeFrame(frame, id)
    if (event !== undefined) this.#takeEvent(event)
    // The frames of an event are stored in one append and so are adjacent.
    this.#partFrom = event === undefined && isContent ? (this.#partFrom ?? id) : undefined
  }

  #takeEvent(event: StreamEvent): void {
    const [first] = this.#tracker.take(event)
    if (first !== undefined) this.#rollBack(event, first)
    if (this.#tracker.unsettled(event.agent).length === 0) this.#begun.delete(event.agent)
  }

  #begunBy(agent: string): Set<string> {
    const begun = this.#begun.get(agent) ?? new Set()
    this.#begun.set(agent, begun)
    return begun
  }

  #rollBack(rollback: StreamEvent, firstVoid: Piece): void {
    const { agent } = rollback
    const [from, to] = [firstIdOf(firstVoid), firstIdOf(rollback)]
    const steps = this.#steps.get(agent) ?? []
    steps.push({ from, to, begun: this.#begunBy(agent) })
    this.#steps.set(agent, steps)
    this.#listed = undefined
    // Rollbacks come in order, so only the last ranges can overlap the new one.
    let first = from
    while ((this.#parts.at(-1)?.to ?? 0) > first) {
      first = Math.min(first, this.#parts.pop()?.from ?? first)
    }
    this.#parts.push({ from: first, to })
  }

  /** The id from which a void step is left out: its start, unless the reader has part of it. */
  #hiddenFrom({ from, to }: VoidStep): number {
    return this.#hidden.get(to) ?? Math.max(from, this.#seen + 1)
  }
}

/** Tracks the blocks that the reader has begun. */
function followBlock(begun: Set<string>, envelope: Envelope): void {
  if (traitsOf(envelope.type)?.isItem) return
  if (envelope.final) begun.delete(blockKey(envelope))
  else begun.add(blockKey(envelope))
}

/** Closes a block that the reader has begun; other content is left out. */
function closeBegun({ begun }: VoidStep, envelope: Envelope, id: number): readonly LogEntry[] {
  if (!envelope.final || !begun.delete(blockKey(envelope))) return []
  return [{ id, line: encoder.encode(encodeEnvelope({ ...envelope, delta: '' })) }]
}

/** Finds the range that contains an id, in sorted disjoint ranges. */
function findRange<One extends Range>(ranges: readonly One[], id: number): One | undefined {
  let low = 0
  let high = ranges.length
  while (low < high) {
    const middle = (low + high) >> 1
    const range = ranges[middle]
    if (range === undefined || id < range.from) high = middle
    else if (id >= range.to) low = middle + 1
    else return range
  }
  return undefined
}
