import { MillraceError } from '../../errors/index.ts'
import type { Message } from '../../events/index.ts'
import type { AgentState, CompactedContext } from './agent-state.ts'
import {
  type Cell,
  CELLS,
  laneCollection,
  type LanePart,
  type ListName,
  mapBlocks,
  mapValues,
  ROOT_LANE,
} from './state-parts.ts'
import { StateWriter, type StateWriterOptions } from './state-writer.ts'

/** Reads the bodies of a collection by their numbers, all of them in ascending order. */
export type ReadCollection = (
  collection: string,
) => AsyncIterable<{ readonly number: number; readonly body: string }>

/** A state that was read, and the writer that goes on from it. */
export interface ReadState {
  readonly state: AgentState
  readonly writer: StateWriter
}

/** Reads the state that a {@link StateWriter} wrote; undefined if there is none. */
export async function readState(
  read: ReadCollection,
  options: StateWriterOptions,
): Promise<ReadState | undefined> {
  const cells = new Map<number, string>()
  for await (const { number, body } of read(CELLS)) cells.set(number, body)
  if (!cells.has(ROOT_LANE)) return undefined
  const writer = new StateWriter(options)

  const readLane = async (number: number): Promise<AgentState> => {
    const body = cells.get(number)
    if (body === undefined) throw missing(`the cell of lane ${number}`)
    const cell = decodeCell(body)
    const folder = new LaneFolder()
    for await (const part of read(laneCollection(number))) {
      // What was written since the cell was read belongs to a later state.
      if (part.number > cell.parts) break
      folder.take(part)
    }
    if (folder.count !== cell.parts) throw missing(`a part of lane ${number}`)
    const children: [string, AgentState][] = []
    for (const [agent, lane] of Object.entries(cell.children ?? {})) {
      children.push([agent, await readLane(lane)])
    }
    const core = mapValues(cell.core as AgentState, {
      value: folder.resolve,
      context: folder.resolveContext,
    })
    const state = {
      messages: [],
      ...core,
      ...folder.lists,
      ...(cell.children && { children: Object.fromEntries(children) }),
    } as unknown as AgentState
    const { lists, values, count } = folder
    writer.adopt(state, { number, count, cell: body, lanes: cell.lanes, lists, values })
    return state
  }

  return { state: await readLane(ROOT_LANE), writer }
}

/** The messages that a range of parts has written. */
export interface MessageRange {
  /** The number of the part before the first one. */
  readonly after: number
  /** The index of the first message. */
  readonly start: number
}

/**
 * Reads messages of the root agent from parts that were written one after the other, as they were when the last of these was
 * written. `readValue` reads a part that came before them.
 */
export async function readMessages(
  parts: Iterable<{ readonly number: number; readonly body: string }>,
  { start }: MessageRange,
  readValue: (number: number) => Promise<string>,
): Promise<readonly Message[]> {
  const folder = new LaneFolder(start)
  const held: { readonly number: number; readonly body: string }[] = []
  for (const part of parts) {
    held.push(part)
    folder.keep(part)
  }
  for (const number of folder.missing(held)) {
    folder.keep({ number, body: await readValue(number) })
  }
  for (const part of held) folder.takeList(part, 'messages')
  return (folder.lists.messages ?? []) as readonly Message[]
}

/** Reads values that `references` of a writer gave. */
export function readReferences(
  references: readonly object[],
  readValue: (number: number) => Promise<string>,
): Promise<readonly object[]> {
  const read = async (value: object): Promise<object> => {
    const number = referenceIn(value)
    const part = number === undefined ? { value } : decodePart(await readValue(number))
    return ('value' in part ? part.value : value) as object
  }
  return Promise.all(references.map(read))
}

/** Applies the parts of a lane in their order. */
class LaneFolder {
  readonly values = new Map<number, object>()
  readonly lists: Partial<Record<ListName, unknown[]>> = {}
  count = 0
  /** The index of the first item that is kept. */
  readonly #start: number

  constructor(start = 0) {
    this.#start = start
  }

  take({ number, body }: { readonly number: number; readonly body: string }): void {
    this.count = number
    this.keep({ number, body })
    this.takeList({ body })
  }

  /** Keeps the value of a part, if it has one. */
  keep({ number, body }: { readonly number: number; readonly body: string }): void {
    const part = decodePart(body)
    if ('value' in part) this.values.set(number, part.value as object)
  }

  /** Changes a list, if the part says so; `only` names the one that is wanted. */
  takeList({ body }: { readonly body: string }, only?: ListName): void {
    const part = decodePart(body)
    if ('value' in part || (only !== undefined && part.list !== only)) return
    const { list: name, at, add } = part
    if (add === null) return void delete this.lists[name]
    const list = (this.lists[name] ??= [])
    list.length = Math.max(0, at - this.#start)
    const skipped = Math.max(0, this.#start - at)
    for (const item of add.slice(skipped)) list.push(this.#item(name, item))
  }

  /** The numbers of values that parts refer to and that are not among them. */
  missing(parts: readonly { readonly body: string }[]): readonly number[] {
    const found = new Set<number>()
    const look = (value: unknown): void => {
      const number = referenceIn(value)
      if (number !== undefined && !this.values.has(number)) found.add(number)
    }
    for (const { body } of parts) {
      const part = decodePart(body)
      if ('value' in part || part.list !== 'messages') continue
      for (const message of (part.add ?? []) as readonly Message[]) message.content.forEach(look)
    }
    return [...found]
  }

  readonly resolve = <Value>(value: Value): Value => {
    const number = referenceIn(value)
    if (number === undefined) return value
    const found = this.values.get(number)
    if (found === undefined) throw missing(`part ${number}`)
    return found as Value
  }

  readonly resolveContext = (reference: CompactedContext): CompactedContext => {
    const stored = this.resolve(reference)
    const messages = stored.messages.map((message) => mapBlocks(message, this.resolve))
    const context = { ...stored, messages }
    // Known by its identity when it is written again.
    this.values.set(referenceIn(reference) ?? 0, context)
    return context
  }

  #item(name: ListName, item: unknown): unknown {
    return name === 'messages' ? mapBlocks(item as Message, this.resolve) : this.resolve(item)
  }
}

function referenceIn(value: unknown): number | undefined {
  const { $part } = value as { readonly $part?: unknown }
  return typeof $part === 'number' ? $part : undefined
}

function decodePart(body: string): LanePart {
  return JSON.parse(body) as LanePart
}

function decodeCell(body: string): Cell {
  const cell = JSON.parse(body) as Cell
  if ((cell.version as number) === 1) return cell
  throw new MillraceError(
    'unsupported',
    'The state of this session was stored by a newer version of Millrace. Update this server.',
  )
}

function missing(thing: string): MillraceError {
  return new MillraceError('internal', `The stored state is not complete: ${thing} is missing.`)
}
