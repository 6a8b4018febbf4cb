import type { JsonValue } from '../../json/index.ts'
import type { InputSchema } from './input-schema.ts'

/** What the function of a tool is told about the call that it answers. */
export interface FrontendCall {
  readonly toolUseId: string
  /** The id of the agent that calls. */
  readonly agent: string
  /** Aborts when the call waits no more: it was answered elsewhere, the run was stopped, or the page let go of it. */
  readonly signal: AbortSignal
}

/** What a tool of the page may give: text, or a value that is sent as JSON. */
export type ToolReply = JsonValue | undefined | void

/** A tool that this page runs. */
export interface PageTool<Input> {
  readonly name: string
  /** Any Standard Schema, such as the one that the server's tool was defined with: types the input and checks it. */
  readonly input?: InputSchema<Input>
  /** Gives what the model is to read; what it throws is told to the model as a failure. */
  readonly run: (input: Input, call: FrontendCall) => ToolReply | Promise<ToolReply>
}
