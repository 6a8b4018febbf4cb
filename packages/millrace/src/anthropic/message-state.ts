import {
  type ContentBlock,
  type CutBlock,
  type MessageEnd,
  type ModelEvent,
  noUsage,
  retryOfCut,
  type Usage,
} from '../events/index.ts'
import type { JsonObject, JsonValue } from '../json/index.ts'
import type { MessageCut } from '../model-stream/index.ts'
import { closeBlock, type OpenBlock } from './open-block.ts'
import { endOfReason } from './stop-reasons.ts'

/** What a reader knows of its message so far. */
export interface MessageState {
  id: JsonValue | undefined
  started: boolean
  ended: boolean
  stopReason: string | null
  usage: Usage
  /** What else the API said of the message. */
  details: JsonObject | undefined
  /** Blocks by start order; a hole is a block that is still open or was cut. */
  readonly blocks: (ContentBlock | undefined)[]
  readonly open: OpenBlock[]
  /** Every `index` that a stop has carried. */
  readonly stopped: Set<JsonValue | undefined>
}

/** Does what one event of the API asks for and adds what it means to `out`. */
export type EventHandler = (state: MessageState, event: JsonObject, out: ModelEvent[]) => void

/** The state before the first event. */
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
 * Adds the one terminal event; without a cut it is the API's own. Text that was never stopped is kept, because
 * people have read it; calls and thoughts that are still open are no part of it, because neither can be run,
 * signed or sent in part.
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

/** Adds a notice of something odd that changes nothing else. */
export function note(out: ModelEvent[], message: string, raw?: JsonObject): void {
  out.push(raw === undefined ? { type: 'notice', message } : { type: 'notice', message, raw })
}
