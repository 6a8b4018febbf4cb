import {
  type ContentBlock,
  type MessageOutcome,
  type ModelEvent,
  type ModelFailure,
  noUsage,
  type Usage,
} from '../events/index.ts'
import type { JsonObject, JsonValue } from '../json/index.ts'
import { closeBlock, type OpenBlock } from './open-block.ts'

/** Why a message ends without the API's own end. */
export interface MessageCut {
  readonly outcome: Exclude<MessageOutcome, 'finished'>
  readonly failure?: ModelFailure
}

/** What a reader knows of its message so far. */
export interface MessageState {
  id: JsonValue | undefined
  started: boolean
  ended: boolean
  stopReason: string | null
  usage: Usage
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
    blocks: [],
    open: [],
    stopped: new Set(),
  }
}

/**
 * Adds the one terminal event. Text that was never stopped is kept, because people have read it; calls and
 * thoughts that are still open are no part of it, because neither can be run, signed or sent in part.
 */
export function endMessage(
  state: MessageState,
  end: MessageCut | { readonly outcome: 'finished' },
  out: ModelEvent[],
): void {
  const { stopReason, usage } = state
  for (const open of state.open) {
    if (open.traits.body !== 'text' || open.text === '') continue
    state.blocks[open.block] = closeBlock(open).end.content
  }
  const content = state.blocks.filter((block) => block !== undefined)
  state.ended = true
  out.push({ type: 'message_end', ...end, stopReason, usage, content })
}

/** Adds a notice of something odd that changes nothing else. */
export function note(out: ModelEvent[], message: string, raw?: JsonObject): void {
  out.push(raw === undefined ? { type: 'notice', message } : { type: 'notice', message, raw })
}

/** The value if it is text, else nothing. */
export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}
