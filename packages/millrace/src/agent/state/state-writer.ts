import type { ContentBlock, Message } from '../../events/index.ts'
import type { AgentState, CompactedContext } from './agent-state.ts'
import { skippedCount } from './message-chain.ts'
import { type LaneStart, writeStart } from './lane-start.ts'
import type { BlockStorage, StatePart } from '../port/index.ts'
import {
  type Cell,
  CELL,
  type LanePart,
  listNames,
  type ListName,
  mapBlocks,
  mapValues,
  type PartReference,
  ROOT_LANE,
} from './state-parts.ts'

/** Shorter values are written in place; a reference would save nothing. */
const MAX_INLINE_CHARS = 64
/** The same limit for blocks of messages, most of which are used once. */
const MAX_INLINE_BLOCK_CHARS = 512

/** The location of a run's messages in the lane of the root agent. */
export interface RunPlace {
  /** The index of its first message, and their number. */
  readonly start: number
  readonly count: number
  /** Its parts are those after `after`, up to `upTo`. */
  readonly after: number
  readonly upTo: number
  /** The results of a paused run that are not part of its messages yet, or references to their parts. */
  readonly told?: readonly object[]
}

/**
 * Writes the states of one run as parts. States are immutable and share unchanged objects, so written objects are recognised by identity
 * and a checkpoint writes only new ones.
 */
export class StateWriter {
  readonly #blocks: Pick<BlockStorage, 'toStored'>
  /** By the ids of their agents. */
  readonly #lanes = new Map<string, Lane>()
  #count = 0

  constructor(blocks: Pick<BlockStorage, 'toStored'>) {
    this.#blocks = blocks
  }

  /** Returns the parts by which a state differs from the one written before. */
  write(state: AgentState): readonly StatePart[] {
    const parts: StatePart[] = []
    const agents = new Set<string>()
    this.#writeAgent(state, { parts, agents })
    for (const [agent, { number }] of this.#lanes) {
      if (agents.has(agent)) continue
      // A dropped sub-agent is not read again.
      parts.push({ lane: number, number: CELL, body: null })
      this.#lanes.delete(agent)
    }
    return parts
  }

  /** Locates the run's messages in a written state. */
  place(state: AgentState): RunPlace {
    const { agent, messages, runStart, turn, pause } = state
    const lane = this.#lanes.get(agent)
    const emittedResults = pause && turn && [...turn.results, ...(turn.answers ?? [])]
    return {
      start: runStart,
      count: skippedCount(state) + messages.length - runStart,
      after: lane?.runParts ?? 0,
      upTo: lane?.count ?? 0,
      ...(emittedResults && {
        told: emittedResults.map((block) => lane?.reference(block) ?? block),
      }),
    }
  }

  /** Registers a lane that was read, so that none of it is written again. */
  adopt(state: AgentState, read: AdoptedLane): void {
    const lane = new Lane(read.number, this.#blocks)
    lane.count = read.count
    lane.cell = read.cell
    lane.runParts = read.runParts
    lane.state = state
    lane.lists = read.lists
    lane.start = read.start
    for (const [number, value] of read.values) lane.numbers.set(value, number)
    this.#lanes.set(state.agent, lane)
    this.#count = Math.max(this.#count, read.number + 1, read.lanes ?? 0)
  }

  #writeAgent(state: AgentState, found: Found): void {
    found.agents.add(state.agent)
    const lane = this.#provide(state.agent)
    const children = Object.values(state.children ?? {})
    for (const child of children) this.#writeAgent(child, found)
    if (lane.state === state) return
    if (lane.state?.runId !== state.runId) lane.runParts = lane.count
    lane.state = state
    const laneOf = (child: AgentState): [string, number] => [
      child.agent,
      this.#provide(child.agent).number,
    ]
    found.parts.push(
      ...lane.write(state, {
        ...(state.children && { children: Object.fromEntries(children.map(laneOf)) }),
        ...(lane.number === ROOT_LANE && { lanes: this.#count, runParts: lane.runParts }),
      }),
    )
  }

  #provide(agent: string): Lane {
    const known = this.#lanes.get(agent)
    if (known !== undefined) return known
    const lane = new Lane(this.#count++, this.#blocks)
    this.#lanes.set(agent, lane)
    return lane
  }
}

interface AdoptedLane {
  readonly number: number
  readonly count: number
  readonly cell: string
  readonly lanes: number | undefined
  readonly runParts: number
  readonly lists: Lists
  readonly start: LaneStart | undefined
  readonly values: Iterable<readonly [number: number, value: object]>
}

interface Found {
  readonly parts: StatePart[]
  readonly agents: Set<string>
}

/** The lists of a state that grow, by name. */
export type Lists = { [Name in ListName]?: readonly unknown[] | undefined }

/** The parts of one agent. */
class Lane {
  readonly number: number
  readonly #toStored: BlockStorage['toStored']
  /** The numbers of values that were written. */
  readonly numbers = new WeakMap<object, number>()
  /** The number of written parts, and of those before the run. */
  count = 0
  runParts = 0
  lists: Lists = {}
  /** Where reading begins, once messages were compacted. */
  start: LaneStart | undefined
  cell = ''
  state: AgentState | undefined
  #parts: StatePart[] = []

  constructor(number: number, { toStored }: Pick<BlockStorage, 'toStored'>) {
    this.number = number
    this.#toStored = toStored
  }

  write(
    state: AgentState,
    links: Pick<Cell, 'children' | 'lanes' | 'runParts'>,
  ): readonly StatePart[] {
    this.#parts = []
    const skipped = skippedCount(state)
    for (const name of listNames)
      this.#writeList(name, state[name], name === 'messages' ? skipped : 0)
    this.#moveStart(state)
    const { messages: _m, kept: _k, files: _f, unlistedCalls: _u, voidCalls: _v, ...rest } = state
    const { children: _c, skipped: _s, unsent: untold, ...core } = rest
    const stored = untold === undefined ? core : { ...core, untold }
    const values = mapValues(stored, { value: this.#value, context: this.#context })
    const start = this.start === undefined ? {} : { start: this.start.part }
    const cell: Cell = { version: 1, ...links, ...start, parts: this.count, core: values }
    const body = JSON.stringify(cell)
    if (body === this.cell) return this.#parts
    this.cell = body
    return [...this.#parts, { lane: this.number, number: CELL, body }]
  }

  reference(value: object): PartReference | undefined {
    const number = this.numbers.get(value)
    return number === undefined ? undefined : toReference(number)
  }

  /** Writes the data that a reader needs if it begins after the messages that a compaction has replaced. */
  #moveStart(state: AgentState): void {
    const { context, messages } = state
    // The last of the replaced messages may still grow.
    const count = (context?.covers ?? 0) - 1
    const before = this.start?.count ?? 0
    if (count <= before) return
    const skipped = skippedCount(state)
    const more = messages.slice(before - skipped, count - skipped)
    this.start = writeStart(this.start, more, (value) => this.#put({ value }))
    const left = messages.slice(count - skipped)
    this.#put({ list: 'messages', at: count, add: left.map(this.#message) })
    for (const name of listNames) {
      const list = state[name]
      if (name === 'messages' || list === undefined) continue
      this.#put({ list: name, at: 0, add: list.map(this.#copy) })
    }
  }

  /** `skipped` is the number of items before those of the list. */
  #writeList(name: ListName, list: readonly unknown[] | undefined, skipped: number): void {
    const written = this.lists[name]
    if (list === written) return
    this.lists[name] = list
    if (list === undefined) return void this.#put({ list: name, at: 0, add: null })
    const at = countShared(list, written ?? [])
    if (written !== undefined && at === list.length && at === written.length) return
    const add = list.slice(at).map((item) => this.#item(name, item))
    this.#put({ list: name, at: skipped + at, add })
  }

  #item(name: ListName, item: unknown): unknown {
    if (name === 'messages') return this.#message(item as Message)
    return typeof item === 'object' && item !== null ? this.#value(item) : item
  }

  readonly #message = (message: Message): Message => mapBlocks(message, this.#block)

  /** Writes a short item in place even if a part has it: that part need not be read then. */
  readonly #copy = (item: unknown): unknown => {
    if (typeof item !== 'object' || item === null) return item
    return JSON.stringify(item).length <= MAX_INLINE_BLOCK_CHARS ? item : this.#value(item)
  }

  readonly #block = (block: ContentBlock): ContentBlock =>
    this.#refer(block, this.#toStored(block), MAX_INLINE_BLOCK_CHARS)

  readonly #value = <Value extends object>(value: Value): Value => {
    // Results and answers of a turn are blocks and become part of its message unchanged.
    const stored = 'type' in value ? this.#toStored(value as unknown as ContentBlock) : value
    return this.#refer(value, stored as Value, MAX_INLINE_CHARS)
  }

  readonly #context = (context: CompactedContext): CompactedContext => {
    if (this.numbers.has(context)) return this.#refer(context, context, 0)
    const messages = context.messages.map(this.#message)
    return this.#refer(context, { ...context, messages }, 0)
  }

  /** Returns a value or a reference to its part, which readers resolve in the same place. */
  #refer<Value extends object>(value: Value, stored: Value, maxChars: number): Value {
    const known = this.numbers.get(value)
    if (known !== undefined) return toReference(known) as object as Value
    // Data that looks like a reference must not be read as one.
    if (!('$part' in stored) && JSON.stringify(stored).length <= maxChars) return stored
    const number = this.#put({ value: stored })
    this.numbers.set(value, number)
    return toReference(number) as object as Value
  }

  #put(part: LanePart): number {
    this.count += 1
    const body = JSON.stringify(part)
    this.#parts.push({ lane: this.number, number: this.count, body })
    return this.count
  }
}

function toReference(number: number): PartReference {
  return { $part: number }
}

/** Counts the shared first items of two lists. Lists change at their end, so items before the last shared one are not compared. */
function countShared(list: readonly unknown[], written: readonly unknown[]): number {
  let at = Math.min(list.length, written.length)
  while (at > 0 && list[at - 1] !== written[at - 1]) at--
  return at
}
