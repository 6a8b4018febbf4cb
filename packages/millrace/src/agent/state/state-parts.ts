import type { ContentBlock, Message } from '../../events/index.ts'
import type { AgentState, OpenTurn, CompactedContext } from './agent-state.ts'

/** The number of the root agent's lane. */
export const ROOT_LANE = 0

/** The number of the cell in each lane. */
export const CELL = 0

/**
 * The lists of a state that grow. A part of a lane keeps the first `at` items of one and adds others, so that each item is written once.
 */
export const listNames = [
  'messages',
  'kept',
  'files',
  'unlistedCalls',
  'voidCalls',
  'memory',
] as const

/** The name of a list that grows. */
export type ListName = (typeof listNames)[number]

/** The body of a part in a lane: a value that other parts and the cell refer to by its number, or a change of a list. */
export type LanePart =
  | { readonly value: unknown }
  | {
      readonly list: ListName
      readonly at: number
      /** Null if the state has no such list any more. */
      readonly add: readonly unknown[] | null
    }

/** A reference to the value in a part of the same lane. */
export interface PartReference {
  readonly $part: number
}

/** The body of a cell: an agent's state without its lists and sub-agents, with references to values. */
export interface Cell {
  /** Version 0 stands for a state that version 0.1.0 stored as one value, part 1. */
  readonly version: 0 | 1
  readonly parts: number
  /** The lanes of its sub-agents by their ids. */
  readonly children?: Readonly<Record<string, number>>
  /** Number of lanes that the tree has had; only in the root's cell. */
  readonly lanes?: number
  /** Number of parts before the run; only in the root's cell, and absent in older versions. */
  readonly runParts?: number
  /**
   * The part with which reading begins, a `StoredStart`; all lists are written anew after it. Absent before the first compaction and in
   * older versions: their lanes are read from the first part.
   */
  readonly start?: number
  readonly core: object
}

/** Replaces values by references, or references by values. */
interface ValueMap {
  readonly value: <Value extends object>(value: Value) => Value
  readonly context: (context: CompactedContext) => CompactedContext
}

/** A state as cells hold it, in which unsent events have the name of older versions. */
export type StoredAgent = Omit<AgentState, 'unsent'> & { readonly untold?: AgentState['unsent'] }

/** Applies a map to all values that a cell holds by reference. */
export function mapValues(
  state: Omit<StoredAgent, 'messages' | 'children'>,
  { value: map, context: mapContext }: ValueMap,
): object {
  const { context, decisions, turn, pause, untold } = state
  return {
    ...state,
    ...(context && { context: mapContext(context) }),
    ...(decisions && { decisions: mapRecord(decisions, map) }),
    ...(turn && { turn: mapTurn(turn, map) }),
    ...(pause && { pause: { calls: pause.calls.map(map), approvals: pause.approvals.map(map) } }),
    ...(untold && { untold: untold.map(map) }),
  }
}

function mapTurn(turn: OpenTurn, map: ValueMap['value']): OpenTurn {
  const { calls, results, answers, decisions } = turn
  return {
    ...turn,
    calls: calls.map(map),
    results: results.map(map),
    ...(answers && { answers: answers.map(map) }),
    ...(decisions && { decisions: mapRecord(decisions, map) }),
  }
}

function mapRecord<Value extends object>(
  record: Readonly<Record<string, Value>>,
  map: ValueMap['value'],
): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]))
}

/** Returns a message with each of its blocks replaced. */
export function mapBlocks(message: Message, map: (block: ContentBlock) => ContentBlock): Message {
  return { ...message, content: message.content.map(map) }
}
