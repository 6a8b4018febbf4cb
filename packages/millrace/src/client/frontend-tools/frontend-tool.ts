import type { JsonValue } from '../../json/index.ts'
import type { InputSchema } from './input-schema.ts'

/** Context of a tool's function: the call that it answers. */
export interface FrontendCall {
  readonly callId: string
  /** Id of the calling agent. */
  readonly agent: string
  /** Aborts when the call is no longer pending: it was answered elsewhere, the run was stopped, or the page stopped serving the tool. */
  readonly signal: AbortSignal
}

/** Result of a page's tool: text, or a value that is sent as JSON. */
export type ToolReply = JsonValue | undefined | void

/** A tool that this page runs. */
export interface PageTool<Input> {
  readonly name: string
  /** Any Standard Schema, such as the one of the server's tool. It types and validates the input. */
  readonly input?: InputSchema<Input>
  /** Returns the result for the model. A thrown error becomes a failed result. */
  readonly run: (input: Input, call: FrontendCall) => ToolReply | Promise<ToolReply>
}
