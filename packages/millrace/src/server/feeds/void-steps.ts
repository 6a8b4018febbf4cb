import {
  blockKey,
  createEnvelopeDecoder,
  encodeEnvelope,
  type Envelope,
  traitsOf,
} from '../../envelope/index.ts'
import type { LogEntry } from '../../stores/port/index.ts'

/** A part of a log, up to before its end. */
interface Range {
  readonly from: number
  readonly to: number
}

/** A step of an agent that was rolled back, up to the first message of the rollback. [LIFE-8] */
interface VoidStep extends Range {
  /** The keys of its blocks that the reader has begun to read and that are not closed. */
  readonly begun: Set<string>
}

/** The content of a void step that was left out for a reader, from a message on. */
export interface HiddenContent {
  readonly from: number
  /** The id of the rollback's first message. */
  readonly rollback: number
}

/** Where a reader stands in the log of a session. */
export interface ReaderPlace {
  readonly session: string
  /** The id of the last message that it has read. */
  readonly after: number
  /** How many frames of the next message it has read as well. [DIA-2] */
  readonly frames?: number
  /** The void content that was left out of what it has read. [DIA-5] */
  readonly hidden?: readonly HiddenContent[]
  /** The format that it reads, if that is another than the log's: its messages are told again from the start of the run. */
  readonly dialect?: unknown
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/**
 * Finds the steps that were rolled back, in one pass over the lines of a log, and leaves their content out. A reader
 * that has read a part of a void block gets the message that closes it. [LOG-10]
 */
export class VoidSteps {
  readonly #session: string
  readonly #seen: number
  /** Where the void content begins that was left out, by the ids of rollbacks. */
  readonly #hidden: ReadonlyMap<number, number>
  readonly #isToldAgain: boolean
  readonly #decode = createEnvelopeDecoder()
  /** The first message of the step that each agent is at. */
  readonly #unsettled = new Map<string, number>()
  /** The void steps of each agent, in order. */
  readonly #steps = new Map<string, VoidStep[]>()
  /** The parts of the log in which an agent has a void step, in order and apart from each other. */
  readonly #parts: Range[] = []
  /** The same keys for the step that each agent is at. */
  readonly #begun = new Map<string, Set<string>>()
  /** Where runs begin. */
  readonly #runs: number[] = []
  #listed: (Range & { readonly hidden: readonly HiddenContent[] }) | undefined
  #scanned: number

  /** `start` is the id after which messages are scanned; it must not lie inside a step. */
  constructor({ session, after, frames = 0, hidden = [], dialect }: ReaderPlace, start: number) {
    this.#session = session
    this.#seen = frames > 0 ? after + 1 : after
    this.#hidden = new Map(hidden.map(({ from, rollback }) => [rollback, from]))
    this.#isToldAgain = dialect !== undefined
    this.#scanned = start
  }

  /** The id of the last message that was scanned. */
  get scanned(): number {
    return this.#scanned
  }

  /** The last id up to which no message can become void any more. */
  get settled(): number {
    return Math.min(this.#scanned, ...[...this.#unsettled.values()].map((from) => from - 1))
  }

  /** Whether anything is void. */
  get isEmpty(): boolean {
    return this.#parts.length === 0
  }

  scan(entries: readonly LogEntry[]): void {
    for (const { id, line } of entries) {
      this.#take(this.#decode(decoder.decode(line)), id)
      this.#scanned = id
    }
  }

  /** Leaves out what is void of messages that were scanned, which must come in order. */
  filter(entries: readonly LogEntry[]): readonly LogEntry[] {
    if (this.isEmpty) return entries
    return entries.flatMap((entry) => {
      const { id, line } = entry
      if (findRange(this.#parts, id) === undefined) return [entry]
      const envelope = this.#decode(decoder.decode(line))
      const step = findRange(this.#steps.get(envelope.agent) ?? [], id)
      if (step === undefined || traitsOf(envelope.type)?.step !== 'content') return [entry]
      if (id >= this.#hiddenFrom(step)) return closeBegun(step, envelope, id)
      if (this.#isToldAgain) followBlock(step.begun, envelope)
      return [entry]
    })
  }

  /** Takes note of a run that begins at a message, which need not have been scanned: content of earlier runs is not named from there on. */
  follow({ type, agent }: Envelope, id: number): void {
    if (type !== 'meta_init' || agent !== this.#session || id <= (this.#runs.at(-1) ?? 0)) return
    this.#runs.push(id)
    this.#listed = undefined
  }

  /** The void content that was left out of a run, up to an id. */
  hiddenUpTo(id: number): readonly HiddenContent[] {
    if (this.isEmpty) return []
    if (this.#listed === undefined || findRange([this.#listed], id) === undefined)
      this.#listed = this.#listAt(id)
    return this.#listed.hidden
  }

  /** The list at an id, with the part of the log in which it stays the same. */
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

  #take(envelope: Envelope, id: number): void {
    const { type, agent } = envelope
    const step = traitsOf(type)?.step
    this.follow(envelope, id)
    if (type === 'rollback') this.#rollBack(agent, id)
    if (step === 'boundary') {
      this.#unsettled.delete(agent)
      this.#begun.delete(agent)
    }
    if (step !== 'content') return
    if (!this.#unsettled.has(agent)) this.#unsettled.set(agent, id)
    if (id <= this.#seen && !this.#isToldAgain) followBlock(this.#begunBy(agent), envelope)
  }

  #begunBy(agent: string): Set<string> {
    const begun = this.#begun.get(agent) ?? new Set()
    this.#begun.set(agent, begun)
    return begun
  }

  #rollBack(agent: string, to: number): void {
    const from = this.#unsettled.get(agent)
    if (from === undefined) return
    const steps = this.#steps.get(agent) ?? []
    steps.push({ from, to, begun: this.#begunBy(agent) })
    this.#steps.set(agent, steps)
    this.#listed = undefined
    // Rollbacks come in order, so only the last parts can overlap with the new one.
    let first = from
    while ((this.#parts.at(-1)?.to ?? 0) > first) {
      first = Math.min(first, this.#parts.pop()?.from ?? first)
    }
    this.#parts.push({ from: first, to })
  }

  /** Where the reader is sent no more of a void step: at its start, unless it has read some of it. */
  #hiddenFrom({ from, to }: VoidStep): number {
    return this.#hidden.get(to) ?? Math.max(from, this.#seen + 1)
  }
}

/** Keeps track of the blocks that the reader has begun to read. */
function followBlock(begun: Set<string>, envelope: Envelope): void {
  if (traitsOf(envelope.type)?.unit === 'item') return
  if (envelope.final) begun.delete(blockKey(envelope))
  else begun.add(blockKey(envelope))
}

/** Closes a block that the reader has begun to read; the rest of the void step is left out. */
function closeBegun({ begun }: VoidStep, envelope: Envelope, id: number): readonly LogEntry[] {
  if (!envelope.final || !begun.delete(blockKey(envelope))) return []
  return [{ id, line: encoder.encode(encodeEnvelope({ ...envelope, delta: '' })) }]
}

/** The range that an id lies in, of ranges in order and apart from each other. */
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
