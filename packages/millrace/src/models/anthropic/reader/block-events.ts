import type { ContentBlock, ModelEvent } from '../../../events/index.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../json/index.ts'
import { type EventHandler, type MessageState, note } from './message-state.ts'
import { closeBlock, openBlock, type OpenBlock, textOf } from './open-block.ts'

type DeltaRule =
  /** `field` holds the next part of the streamed text. */
  | { readonly effect: 'append'; readonly field: string }
  /** The delta's fields replace those of the block: they hold final values. */
  | { readonly effect: 'assign' }
  /** `field` holds a citation. */
  | { readonly effect: 'cite'; readonly field: string }

/** All delta types of the Messages API. */
export const deltaRules: ReadonlyMap<string, DeltaRule> = new Map<string, DeltaRule>([
  ['text_delta', { effect: 'append', field: 'text' }],
  ['thinking_delta', { effect: 'append', field: 'thinking' }],
  ['input_json_delta', { effect: 'append', field: 'partial_json' }],
  ['signature_delta', { effect: 'assign' }],
  ['compaction_delta', { effect: 'assign' }],
  ['citations_delta', { effect: 'cite', field: 'citation' }],
])

/** Opens a block. Emits the text in its start, if any, as a delta. */
export function startBlock(
  state: MessageState,
  index: JsonValue | undefined,
  content: ContentBlock,
  out: ModelEvent[],
): void {
  const open = openBlock(state.blocks.length, index, content)
  const { block, traits, text } = open
  state.blocks.push(undefined)
  state.open.push(open)
  recordFallback(state, content)
  out.push({ type: 'block_start', block, kind: traits.kind, content })
  if (text !== '') out.push({ type: 'block_delta', block, text })
}

/** Records the model of a fallback block: it writes the rest of the answer. */
function recordFallback(state: MessageState, { type, to }: ContentBlock): void {
  if (type !== 'fallback' || !isJsonObject(to) || typeof to['model'] !== 'string') return
  state.details = { ...state.details, model: to['model'] }
}

/** Ends an open block, and adds its events. */
export function stopBlock(state: MessageState, position: number, out: ModelEvent[]): void {
  const [open] = state.open.splice(position, 1)
  if (open === undefined) return
  const { end, unseenText, problem } = closeBlock(open)
  state.blocks[open.block] = end.content
  if (problem !== undefined) note(out, problem)
  if (unseenText !== '') out.push({ type: 'block_delta', block: open.block, text: unseenText })
  out.push(end)
}

/** Handles `content_block_delta`: adds to an open block. */
export const onBlockDelta: EventHandler = (state, event, out) => {
  const { delta } = event
  const target = findDeltaTarget(state, event['index'], out)
  if (target === undefined || !isJsonObject(delta)) {
    return note(out, 'A delta for no open block was ignored.', event)
  }
  const type = textOf(delta['type'])
  if (!target.traits.accepts.includes(type)) {
    return note(out, `A ${type} on a ${target.start.type} block was ignored.`, event)
  }
  applyDelta(target, type, delta, out)
}

/** Handles `content_block_stop`: closes a block. */
export const onBlockStop: EventHandler = (state, event, out) => {
  const index = event['index']
  let position = findOpen(state, index)
  // A repeated stop of an earlier block must not close the open one, which may be a call without input so far.
  if (position < 0 && state.open.length === 1 && !state.stopped.has(index)) {
    position = 0
    note(out, `A stop with index ${String(index)} was assigned to the only open block.`)
  }
  state.stopped.add(index)
  if (position < 0) return note(out, 'A stop for no open block was ignored.', event)
  const target = state.open[position]
  if (target !== undefined) {
    for (const citation of stopCitations(event, target)) cite(target, citation, out)
  }
  stopBlock(state, position, out)
}

function cite(target: OpenBlock, citation: JsonObject, out: ModelEvent[]): void {
  target.citations ??= []
  target.citations.push(citation)
  out.push({ type: 'block_citation', block: target.block, citation })
}

function applyDelta(target: OpenBlock, type: string, delta: JsonObject, out: ModelEvent[]): void {
  const rule = deltaRules.get(type)
  if (rule === undefined || rule.effect === 'assign') return assignFields(target, delta)
  const value = delta[rule.field]
  if (rule.effect === 'append') {
    if (typeof value !== 'string' || value === '') return
    target.text += value
    out.push({ type: 'block_delta', block: target.block, text: value })
  } else if (isJsonObject(value)) cite(target, value, out)
}

function assignFields(target: OpenBlock, delta: JsonObject): void {
  const { type: _, ...fields } = delta
  target.assigned = { ...target.assigned, ...fields }
}

/**
 * Finds the block of a delta. The API has sent deltas with another index than their block's start; if one block is
 * open, they belong to it.
 */
function findDeltaTarget(
  state: MessageState,
  index: JsonValue | undefined,
  out: ModelEvent[],
): OpenBlock | undefined {
  const found = state.open[findOpen(state, index)]
  if (found !== undefined) return found
  const sole = state.open.length === 1 ? state.open[0] : undefined
  if (sole === undefined) return undefined
  sole.alias = index
  note(out, `Deltas with index ${String(index)} were assigned to the only open block.`)
  return sole
}

/** Returns the position of the newest open block with an index, or -1. A start may reuse the index of an open block. */
function findOpen({ open }: MessageState, index: JsonValue | undefined): number {
  let position = open.length - 1
  while (position >= 0) {
    const candidate = open[position]
    if (candidate?.index === index || candidate?.alias === index) break
    position--
  }
  return position
}

/**
 * Returns the citations that occur only in a `content_block_stop`: in its `citations`, or in those of its
 * `content_block`, as written by the streaming helpers of SDKs. Excludes citations of the start and of deltas.
 * [MAP-3]
 */
function stopCitations(event: JsonObject, open: OpenBlock): readonly JsonObject[] {
  const { content_block: block } = event
  const listed = citationsIn(event['citations'] ?? (isJsonObject(block) ? block['citations'] : []))
  if (listed.length === 0 || !open.traits.accepts.includes('citations_delta')) return []
  const counts = new Map<string, number>()
  for (const citation of [...citationsIn(open.start['citations']), ...(open.citations ?? [])]) {
    const key = JSON.stringify(citation)
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return listed.filter((citation) => {
    const key = JSON.stringify(citation)
    const count = counts.get(key) ?? 0
    counts.set(key, count - 1)
    return count <= 0
  })
}

function citationsIn(value: JsonValue | undefined): readonly JsonObject[] {
  return isJsonArray(value) ? value.filter(isJsonObject) : []
}
