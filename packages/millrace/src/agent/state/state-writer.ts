import type { ContentBlock, Message } from '../../events/index.ts'
import type { AgentState, CompactedContext } from './agent-state.ts'
import {
  type Cell,
  CELLS,
  laneCollection,
  type LanePart,
  listNames,
  type ListName,
  mapBlocks,
  mapValues,
  type PartReference,
  ROOT_LANE,
  type StatePart,
} from './state-parts.ts'

/** Shorter values stand where they are used; a reference would save nothing. */
const MAX_INLINE_CHARS = 64
/** The same for the blocks of messages, most of which are used once. */
const MAX_INLINE_BLOCK_CHARS = 512

/** How far a state has been written. */
export interface StatePlace {
  /** How many parts the lane of the root agent has. */
  readonly parts: number
  /** How many messages it has. */
  readonly messages: number
}

/** How content blocks are stored. */
export interface StateWriterOptions {
  /** Gives the block that is stored in the place of another one, such as one that names a file. */
  readonly toStoredBlock: (block: ContentBlock) => ContentBlock
}

/**
 * Writes the states of one run as parts. Nothing in a state ever changes and states share what is the same, so an object
 * that was written before is known by its identity, and a checkpoint writes only what is new.
 */
export class StateWriter {
  readonly #options: StateWriterOptions
  /** By the ids of their agents. */
  readonly #lanes = new Map<string, Lane>()
  #count = 0

  constructor(options: StateWriterOptions) {
    this.#options = options
  }

  /** Gives the parts by which a state differs from the one that was written before. */
  write(state: AgentState): readonly StatePart[] {
    const parts: StatePart[] = []
    const agents = new Set<string>()
    this.#writeAgent(state, { parts, agents })
    for (const [agent, { number }] of this.#lanes) {
      if (agents.has(agent)) continue
      // A sub-agent that is forgotten is not read again.
      parts.push({ collection: CELLS, number, body: null })
      this.#lanes.delete(agent)
    }
    return parts
  }

  /** Gives the cells of all agents as they were written last. */
  cells(): readonly StatePart[] {
    return [...this.#lanes.values()].map(({ number, cell: body }) => ({
      collection: CELLS,
      number,
      body,
    }))
  }

  /** How far the root agent has been written. */
  place(agent: string): StatePlace {
    const lane = this.#lanes.get(agent)
    return { parts: lane?.count ?? 0, messages: lane?.lists.messages?.length ?? 0 }
  }

  /** Gives values of an agent's state as they were written: references to parts, or the values themselves. */
  references(agent: string, values: readonly object[]): readonly object[] {
    const lane = this.#lanes.get(agent)
    return values.map((value) => lane?.reference(value) ?? value)
  }

  /** Makes known a lane that was read, so that nothing of it is written again. */
  adopt(state: AgentState, read: AdoptedLane): void {
    const lane = new Lane(read.number, this.#options)
    lane.count = read.count
    lane.cell = read.cell
    lane.state = state
    lane.lists = read.lists
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
    lane.state = state
    const laneOf = (child: AgentState): [string, number] => [
      child.agent,
      this.#provide(child.agent).number,
    ]
    found.parts.push(
      ...lane.write(state, {
        ...(state.children && { children: Object.fromEntries(children.map(laneOf)) }),
        ...(lane.number === ROOT_LANE && { lanes: this.#count }),
      }),
    )
  }

  #provide(agent: string): Lane {
    const known = this.#lanes.get(agent)
    if (known !== undefined) return known
    const lane = new Lane(this.#count++, this.#options)
    this.#lanes.set(agent, lane)
    return lane
  }
}

/** A lane as it was read. */
export interface AdoptedLane {
  readonly number: number
  readonly count: number
  readonly cell: string
  readonly lanes: number | undefined
  readonly lists: Lists
  readonly values: Iterable<readonly [number: number, value: object]>
}

interface Found {
  readonly parts: StatePart[]
  readonly agents: Set<string>
}

type Lists = { [Name in ListName]?: readonly unknown[] | undefined }

/** The parts of one agent. */
class Lane {
  readonly number: number
  readonly #toStoredBlock: (block: ContentBlock) => ContentBlock
  /** The numbers of values that were written. */
  readonly numbers = new WeakMap<object, number>()
  /** How many parts were written. */
  count = 0
  /** The lists as they were written. */
  lists: Lists = {}
  /** The cell as it was written. */
  cell = ''
  state: AgentState | undefined
  #parts: StatePart[] = []

  constructor(number: number, { toStoredBlock }: StateWriterOptions) {
    this.number = number
    this.#toStoredBlock = toStoredBlock
  }

  write(state: AgentState, links: Pick<Cell, 'children' | 'lanes'>): readonly StatePart[] {
    this.#parts = []
    for (const name of listNames) this.#writeList(name, state[name])
    const { messages: _m, kept: _k, files: _f, unlistedCalls: _u, voidCalls: _v, ...rest } = state
    const { children: _c, ...core } = rest
    const values = mapValues(core, { value: this.#value, context: this.#context })
    const cell: Cell = { version: 1, ...links, parts: this.count, core: values }
    const body = JSON.stringify(cell)
    if (body === this.cell) return this.#parts
    this.cell = body
    return [...this.#parts, { collection: CELLS, number: this.number, body }]
  }

  reference(value: object): PartReference | undefined {
    const number = this.numbers.get(value)
    return number === undefined ? undefined : toReference(number)
  }

  #writeList(name: ListName, list: readonly unknown[] | undefined): void {
    const written = this.lists[name]
    if (list === written) return
    this.lists[name] = list
    if (list === undefined) return void this.#put({ list: name, at: 0, add: null })
    const at = countShared(list, written ?? [])
    if (written !== undefined && at === list.length && at === written.length) return
    this.#put({ list: name, at, add: list.slice(at).map((item) => this.#item(name, item)) })
  }

  #item(name: ListName, item: unknown): unknown {
    if (name === 'messages') return mapBlocks(item as Message, this.#block)
    return typeof item === 'object' && item !== null ? this.#value(item) : item
  }

  readonly #block = (block: ContentBlock): ContentBlock =>
    this.#refer(block, this.#toStoredBlock(block), MAX_INLINE_BLOCK_CHARS)

  readonly #value = <Value extends object>(value: Value): Value => {
    // Results and answers of a turn are blocks, too, and go into its message as they are.
    const stored = 'type' in value ? this.#toStoredBlock(value as unknown as ContentBlock) : value
    return this.#refer(value, stored as Value, MAX_INLINE_CHARS)
  }

  readonly #context = (context: CompactedContext): CompactedContext => {
    if (this.numbers.has(context)) return this.#refer(context, context, 0)
    const messages = context.messages.map((message) => mapBlocks(message, this.#block))
    return this.#refer(context, { ...context, messages }, 0)
  }

  /** Gives a value itself, or a reference to the part that holds it; readers resolve it in the same place. */
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
    this.#parts.push({ collection: laneCollection(this.number), number: this.count, body })
    return this.count
  }
}

function toReference(number: number): PartReference {
  return { $part: number }
}

/** How many first items two lists share. Lists change at their end, so items before the last shared one are not compared. */
function countShared(list: readonly unknown[], written: readonly unknown[]): number {
  let at = Math.min(list.length, written.length)
  while (at > 0 && list[at - 1] !== written[at - 1]) at--
  return at
}
