import {
  type ContentBlock,
  type CutBlock,
  type MessageEnd,
  type MessageRetry,
  type ModelEvent,
  noUsage,
  type ProviderEnd,
  retryOfCut,
  type Usage,
} from '../../../events/index.ts'
import type { JsonObject, JsonValue } from '../../../json/index.ts'
import type { MessageCut } from '../../stream/index.ts'
import { closeBlock, type OpenBlock } from './open-block.ts'

/** The state of a message while it is read. */
export interface MessageState {
  id: JsonValue | undefined
  started: boolean
  ended: boolean
  stopReason: string | null
  usage: Usage
  details: JsonObject | undefined
  /** Blocks in start order. Undefined marks an open or interrupted block. */
  readonly blocks: (ContentBlock | undefined)[]
  readonly open: OpenBlock[]
  /** All `index` values of stops. */
  readonly stopped: Set<JsonValue | undefined>
}

/** Handles an API event and appends the resulting model events to `out`. */
export type EventHandler = (state: MessageState, event: JsonObject, out: ModelEvent[]) => void

/** Creates the state of a message before its first event. */
export function createMessageState(): MessageState {
  return {
    id: undefined,
    started: false,
    ended: false,
    stopReason: null,
    usage: noUsage,
    details: undefined,
    blocks: [],
    open: [],
    stopped: new Set(),
  }
}

/**
 * Appends the terminal event; without a cut, it is the API's own end. Keeps open text, because users have read it. Drops open calls and
 * thinking, because partial ones cannot be run, signed or sent.
 */
export function endMessage(
  state: MessageState,
  cut: MessageCut | undefined,
  out: ModelEvent[],
): void {
  const { stopReason, usage, details, open } = state
  for (const block of open) {
    if (block.traits.body !== 'text' || block.text === '') continue
    state.blocks[block.block] = closeBlock(block).end.content
  }
  const content = state.blocks.filter((block) => block !== undefined)
  state.ended = true
  out.push({
    type: 'message_end',
    ...(cut === undefined ? endOfReason(stopReason) : endOfCut(state, cut)),
    stopReason,
    usage,
    content,
    ...(open.length > 0 && { cut: open.map(toCutBlock) }),
    ...(details !== undefined && { details }),
  })
}

function endOfCut(
  { blocks }: MessageState,
  { outcome, failure }: MessageCut,
): Pick<MessageEnd, 'outcome' | 'failure' | 'retry'> {
  const retry = retryOfCut(outcome, { isBegun: blocks.length > 0, failure })
  return { outcome, retry, ...(failure !== undefined && { failure }) }
}

function toCutBlock({ block, traits, start, text }: OpenBlock): CutBlock {
  return { block, kind: traits.kind, content: start, text }
}

/** Appends a notice about an anomaly without other effects. */
export function note(out: ModelEvent[], message: string, raw?: JsonObject): void {
  out.push(raw === undefined ? { type: 'notice', message } : { type: 'notice', message, raw })
}

interface ReasonedEnd {
  readonly outcome: ProviderEnd
  readonly retry: MessageRetry
}

const finished: ReasonedEnd = { outcome: 'finished', retry: 'none' }

const ends: ReadonlyMap<string | null, ReasonedEnd> = new Map<string | null, ReasonedEnd>([
  ['refusal', { outcome: 'refused', retry: 'none' }],
  ['max_tokens', { outcome: 'truncated', retry: 'continue' }],
  // A continued conversation would be even longer.
  ['model_context_window_exceeded', { outcome: 'truncated', retry: 'none' }],
  ['pause_turn', { outcome: 'paused', retry: 'continue' }],
  ['compaction', { outcome: 'paused', retry: 'continue' }],
])

/** Returns the outcome of a stop reason. Unknown reasons finish the message. */
export function endOfReason(stopReason: string | null): ReasonedEnd {
  return ends.get(stopReason) ?? finished
}
