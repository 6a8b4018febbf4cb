import { MillraceError } from '../../errors/index.ts'
import type { AgentEvent, ContentBlock, Message, ToolResult } from '../../events/index.ts'
import type { AgentState } from './agent-state.ts'
import type { BlockStorage, RunMessages, StoredState } from '../port/index.ts'
import { toSkipped } from './lane-start.ts'
import { LaneReader, missing } from './lane-reader.ts'
import { type Cell, listNames, mapValues, ROOT_LANE, type StoredAgent } from './state-parts.ts'
import { type Lists, type RunPlace, StateWriter } from './state-writer.ts'

/** A restored state and the writer of its next changes. */
export interface ReadState {
  readonly state: AgentState
  readonly writer: StateWriter
}

interface ReadOptions {
  /** Leaves out the messages that the model does not get any more, see {@link AgentState.skipped}. */
  readonly isForModel?: boolean
}

/** Reads the state that a {@link StateWriter} wrote; undefined if there is none. */
export async function readState(
  stored: StoredState,
  { isForModel = false }: ReadOptions = {},
): Promise<ReadState | undefined> {
  const cells = await stored.cells()
  if (!cells.has(ROOT_LANE)) return undefined
  const { blocks } = stored
  const writer = new StateWriter(blocks)

  const readLane = async (number: number): Promise<AgentState> => {
    const body = cells.get(number)
    if (body === undefined) throw missing(`the cell of lane ${number}`)
    const cell = decodeCell(body)
    const { start, lanes, runParts = 0 } = cell
    const lane = new LaneReader(stored, number)
    // Parts that were written since the cell was read belong to a later state.
    await lane.read({ after: isForModel && start !== undefined ? start - 1 : 0, upTo: cell.parts })
    if (lane.count !== cell.parts) throw missing(`a part of lane ${number}`)
    const adopted = { number, count: lane.count, cell: body, runParts, lanes }
    if (cell.version === 0) {
      const state = await restoreState(lane.values.get(1) as StoredAgent, blocks)
      writer.adopt(state, { ...adopted, start: undefined, lists: {}, values: [] })
      return state
    }
    const children: [string, AgentState][] = []
    for (const [agent, child] of Object.entries(cell.children ?? {})) {
      children.push([agent, await readLane(child)])
    }
    const before = start === undefined ? undefined : await lane.readStart(start)
    const skipped = isForModel && before !== undefined ? toSkipped(before) : undefined
    const core = await readCore(lane, cell.core as StoredAgent)
    const lists = await restoreLists(await lane.fold(listNames, skipped?.count), blocks)
    const state = await restoreContext(blocks, {
      messages: [],
      ...core,
      ...(skipped && { skipped }),
      ...lists,
      ...(cell.children && { children: Object.fromEntries(children) }),
    } as unknown as StoredAgent)
    const { values } = lane
    writer.adopt(state, { ...adopted, start: before, lists, values })
    return state
  }

  return { state: await readLane(ROOT_LANE), writer }
}

async function readCore(lane: LaneReader, core: StoredAgent): Promise<object> {
  const values: object[] = []
  const note = <Value extends object>(value: Value): Value => {
    values.push(value)
    return value
  }
  mapValues(core, { value: note, context: note })
  await lane.readMissing(values)
  const { context } = core
  if (context !== undefined)
    await lane.readMissing(lane.resolve(context).messages.flatMap(({ content }) => content))
  return mapValues(core, { value: lane.resolve, context: lane.resolveContext })
}

/** Reads the messages of one run of the root agent, as they were when the last of its parts was written. */
export async function readRun(stored: StoredState, place: object): Promise<RunMessages> {
  const { start, count, after, upTo, told: references } = place as RunPlace
  const lane = new LaneReader(stored, ROOT_LANE)
  if (count > 0) await lane.read({ after, upTo })
  if (references !== undefined) await lane.readMissing(references)
  const { messages = [] } = await lane.fold(['messages'], start)
  const said = (messages as readonly Message[]).slice(0, count)
  return {
    messages: await restoreMessages(said, stored.blocks),
    ...(references && { results: references.map((block) => lane.resolve(block) as ContentBlock) }),
  }
}

/** Restores the files of messages before the lists are adopted, so that they are not written again. */
async function restoreLists(lists: Lists, blocks: BlockStorage): Promise<Lists> {
  const { messages } = lists
  if (messages === undefined) return lists
  return { ...lists, messages: await restoreMessages(messages as Message[], blocks) }
}

/** Restores the files of a state that was stored as one value. */
async function restoreState(state: StoredAgent, blocks: BlockStorage): Promise<AgentState> {
  const children: Record<string, AgentState> = {}
  for (const [id, child] of Object.entries(state.children ?? {}))
    children[id] = await restoreState(child, blocks)
  const messages = await restoreMessages(state.messages, blocks)
  return restoreContext(blocks, { ...state, messages, ...(state.children && { children }) })
}

async function restoreContext(
  blocks: BlockStorage,
  { untold, ...rest }: StoredAgent,
): Promise<AgentState> {
  const state = untold === undefined ? rest : { ...rest, unsent: untold.map(toCurrentEvent) }
  const { context } = state
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

function decodeCell(body: string): Cell {
  const cell = JSON.parse(body) as Cell
  if (cell.version === 0 || cell.version === 1) return cell
  throw new MillraceError(
    'unsupported',
    'The state of this session was stored by a newer version of Millrace. Update this server.',
  )
}
