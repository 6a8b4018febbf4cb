import { MillraceError } from '../../errors/index.ts'
import type { AgentEvent, ContentBlock, Message, ToolResult } from '../../events/index.ts'
import type { AgentState, CompactedContext } from './agent-state.ts'
import type { BlockStorage, RunMessages, StoredState } from '../port/index.ts'
import {
  type Cell,
  type LanePart,
  type ListName,
  mapBlocks,
  mapValues,
  ROOT_LANE,
} from './state-parts.ts'
import { type Lists, type RunPlace, StateWriter } from './state-writer.ts'

/** A restored state and the writer of its next changes. */
export interface ReadState {
  readonly state: AgentState
  readonly writer: StateWriter
}

/** Reads the state that a {@link StateWriter} wrote; undefined if there is none. */
export async function readState(stored: StoredState): Promise<ReadState | undefined> {
  const cells = await stored.cells()
  if (!cells.has(ROOT_LANE)) return undefined
  const { blocks } = stored
  const writer = new StateWriter(blocks)

  const readLane = async (number: number): Promise<AgentState> => {
    const body = cells.get(number)
    if (body === undefined) throw missing(`the cell of lane ${number}`)
    const cell = decodeCell(body)
    const folder = new LaneFolder()
    // Parts that were written since the cell was read belong to a later state.
    for await (const part of stored.parts(number, { upTo: cell.parts })) folder.take(part)
    if (folder.count !== cell.parts) throw missing(`a part of lane ${number}`)
    const adopted = { number, count: folder.count, cell: body, runParts: 0, lanes: 0 }
    if (cell.version === 0) {
      const state = await restoreState(folder.values.get(1) as AgentState, blocks)
      writer.adopt(state, { ...adopted, lists: {}, values: [] })
      return state
    }
    const children: [string, AgentState][] = []
    for (const [agent, lane] of Object.entries(cell.children ?? {})) {
      children.push([agent, await readLane(lane)])
    }
    const core = mapValues(cell.core as AgentState, {
      value: folder.resolve,
      context: folder.resolveContext,
    })
    const lists = await restoreLists(folder, blocks)
    const state = await restoreContext(blocks, {
      messages: [],
      ...core,
      ...lists,
      ...(cell.children && { children: Object.fromEntries(children) }),
    } as unknown as AgentState)
    const { values } = folder
    const { lanes, runParts = 0 } = cell
    writer.adopt(state, { ...adopted, lanes, runParts, lists, values })
    return state
  }

  return { state: await readLane(ROOT_LANE), writer }
}

/** Reads the messages of one run of the root agent, as they were when the last of its parts was written. */
export async function readRun(stored: StoredState, place: object): Promise<RunMessages> {
  const { start, count, after, upTo, told } = place as RunPlace
  const readValue = async (number: number): Promise<string> => {
    for await (const { body } of stored.parts(ROOT_LANE, { after: number - 1, upTo: number }))
      return body
    throw missing(`part ${number}`)
  }
  const messages = count === 0 ? [] : await readMessages(stored, { start, after, upTo }, readValue)
  const results = told && (await readReferences(told, readValue))
  return {
    messages: await restoreMessages(messages.slice(0, count), stored.blocks),
    ...(results && { told: results }),
  }
}

async function readMessages(
  stored: StoredState,
  { start, ...range }: Pick<RunPlace, 'start' | 'after' | 'upTo'>,
  readValue: (number: number) => Promise<string>,
): Promise<readonly Message[]> {
  const folder = new LaneFolder(start)
  const held: { readonly number: number; readonly body: string }[] = []
  for await (const part of stored.parts(ROOT_LANE, range)) {
    held.push(part)
    folder.keep(part)
  }
  for (const number of folder.missing(held)) {
    folder.keep({ number, body: await readValue(number) })
  }
  for (const part of held) folder.takeList(part, 'messages')
  return (folder.lists.messages ?? []) as readonly Message[]
}

/** Reads the values that `place` of a writer refers to. */
function readReferences(
  references: readonly object[],
  readValue: (number: number) => Promise<string>,
): Promise<readonly ContentBlock[]> {
  const read = async (value: object): Promise<ContentBlock> => {
    const number = referenceIn(value)
    const part = number === undefined ? { value } : decodePart(await readValue(number))
    return ('value' in part ? part.value : value) as ContentBlock
  }
  return Promise.all(references.map(read))
}

/** Restores the files of messages before the lists are adopted, so that they are not written again. */
async function restoreLists({ lists }: LaneFolder, blocks: BlockStorage): Promise<Lists> {
  const { messages } = lists
  if (messages === undefined) return lists
  return { ...lists, messages: await restoreMessages(messages as Message[], blocks) }
}

/** Restores the files of a state that was stored as one value. */
async function restoreState(state: AgentState, blocks: BlockStorage): Promise<AgentState> {
  const children: Record<string, AgentState> = {}
  for (const [id, child] of Object.entries(state.children ?? {}))
    children[id] = await restoreState(child, blocks)
  const messages = await restoreMessages(state.messages, blocks)
  return restoreContext(blocks, { ...state, messages, ...(state.children && { children }) })
}

async function restoreContext(blocks: BlockStorage, stored: AgentState): Promise<AgentState> {
  const { context, untold } = stored
  const state = untold === undefined ? stored : { ...stored, untold: untold.map(toCurrentEvent) }
  const messages = context && (await restoreMessages(context.messages, blocks))
  if (context === undefined || messages === undefined || messages === context.messages) return state
  return { ...state, context: { ...context, messages } }
}

/** Returns a stored event as it is sent today: in older versions, `id` names the call of a result. */
function toCurrentEvent(event: AgentEvent): AgentEvent {
  if (event.type !== 'tool_result') return event
  const { id, ...result } = event as ToolResult & { readonly id?: string }
  return id === undefined ? event : { ...result, callId: id }
}

/** Returns the same list if no message names a file. */
async function restoreMessages(
  messages: readonly Message[],
  { restore }: BlockStorage,
): Promise<readonly Message[]> {
  const restored: Message[] = []
  for (const message of messages) {
    const content = await restore(message.content)
    restored.push(content === message.content ? message : { ...message, content })
  }
  return restored.every((message, index) => message === messages[index]) ? messages : restored
}

/** Applies the parts of a lane in their order. */
class LaneFolder {
  readonly values = new Map<number, object>()
  readonly lists: Partial<Record<ListName, unknown[]>> = {}
  count = 0
  /** The index of the first item to keep. */
  readonly #start: number

  constructor(start = 0) {
    this.#start = start
  }

  take({ number, body }: { readonly number: number; readonly body: string }): void {
    this.count = number
    this.keep({ number, body })
    this.takeList({ body })
  }

  /** Stores the value of a part, if it has one. */
  keep({ number, body }: { readonly number: number; readonly body: string }): void {
    const part = decodePart(body)
    if ('value' in part) this.values.set(number, part.value as object)
  }

  /** Changes a list if the part is an edit of one, and of `only` if given. */
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

  /** Returns the numbers of referenced values that are missing. */
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
    // The writer recognises it by identity.
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
  if (cell.version === 0 || cell.version === 1) return cell
  throw new MillraceError(
    'unsupported',
    'The state of this session was stored by a newer version of Millrace. Update this server.',
  )
}

function missing(thing: string): MillraceError {
  return new MillraceError('internal', `The stored state is incomplete: ${thing} is missing.`)
}
