import type { ContentBlock, ResultContent, Usage } from '../../events/index.ts'
import type { JsonValue } from '../../json/index.ts'

/** A call of a tool, as a loop names it. */
interface ToCall {
  /** The id of the call. An id that the session has seen before is replaced on the wire. */
  readonly callId: string
}

/** A readable event of an agent loop. Blocks, steps, starts and ends are added by the adapter. */
export type LoopEvent =
  /** A piece of text. Pieces in a row are one block. */
  | { readonly type: 'text'; readonly text: string }
  /** A piece of reasoning; `signature` is kept for the provider. */
  | { readonly type: 'thinking'; readonly text: string; readonly signature?: string }
  /** Ends the current text or thinking; the next piece is another block. */
  | { readonly type: 'block_end' }
  /** A piece of the arguments while the model writes them; `tool_call` follows. */
  | (ToCall & { readonly type: 'tool_input'; readonly name: string; readonly text: string })
  /** A complete call. `input` is a JSON value, or the JSON text that the model wrote. */
  | (ToCall & { readonly type: 'tool_call'; readonly name: string; readonly input?: JsonValue })
  /** A sentence about a tool that is running. */
  | (ToCall & { readonly type: 'tool_progress'; readonly text: string })
  /** The result of a call: text, or content blocks with images and documents. */
  | (ToCall & {
      readonly type: 'tool_result'
      readonly name?: string
      readonly text?: string
      readonly content?: readonly ContentBlock[]
      readonly isError?: boolean
    })
  /** A model call is over. Without it, the first result after a call ends the step. */
  | { readonly type: 'step_end'; readonly stopReason?: string; readonly usage?: Usage }
  /** The loop ends here and needs results from the browser, or decisions, for these calls. */
  | {
      readonly type: 'awaiting_frontend_tools' | 'awaiting_approval'
      readonly calls: readonly string[]
    }
  /** The run has failed. */
  | {
      readonly type: 'error'
      readonly message: string
      readonly kind?: string
      readonly code?: string
      readonly retriable?: boolean
    }
  /** The stop reason of the run, if it is not that of the last step. */
  | { readonly type: 'end'; readonly stopReason: string }

/** The conversation in the loop's own form. It is stored, and returned to the loop with its next start. */
export interface LoopMemory {
  readonly type: 'memory'
  readonly items: readonly JsonValue[]
}

/** An answer to a call for which the loop paused. */
export interface LoopAnswer {
  readonly callId: string
  readonly name: string
  /** A result of the browser, or a decision of a user. An approved call whose result was stored before a crash has this result. */
  readonly kind: 'result' | 'approved' | 'refused'
  /** The arguments, edited if the user has changed them. */
  readonly input: JsonValue
  /** Whether a user has changed the arguments. */
  readonly isEdited: boolean
  /** The content of the result; empty for a decision. */
  readonly content: ResultContent
  /** Whether the result is an error. */
  readonly isError: boolean
  /** The reason of a denial. */
  readonly reason?: string
}
