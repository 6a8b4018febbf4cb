import type { ToolSchema } from '../events/index.ts'
import type { JsonValue } from '../json/index.ts'
import type { Checked } from './input-contract.ts'

/** What a tool is told about the call that it answers. */
export interface ToolContext {
  /** Aborts when the run is stopped or the tool's time is over. */
  readonly signal: AbortSignal
  readonly toolUseId: string
  /** The same for every attempt at this call, also after a restart, and no other's. */
  readonly idempotencyKey: string
}

/** An image that a tool returns: bytes as base64, or an address. */
export type ToolImage =
  | { readonly data: string; readonly mediaType: string }
  | { readonly url: string; readonly mediaType: string }

/** A result with more than one part; an object with any other key is taken as JSON. */
export interface RichOutput {
  readonly text?: string
  readonly images?: readonly ToolImage[]
  readonly isError?: boolean
}

/** What a tool may return. */
export type ToolOutput = JsonValue | RichOutput | undefined

/** A tool that runs on the server. */
export interface BackendTool {
  readonly kind: 'backend'
  readonly schema: ToolSchema
  readonly timeoutMs: number
  /** Whether the call may be made again when a crash has left its outcome unknown. */
  readonly idempotent: boolean
  /** Checks the arguments and runs; rejects with what the tool throws. */
  readonly call: (value: unknown, context: ToolContext) => Promise<Checked<unknown>>
}

/** A tool that runs in the browser: the server knows only what it asks for. */
export interface FrontendTool {
  readonly kind: 'frontend'
  readonly schema: ToolSchema
  readonly check: (value: unknown) => Promise<Checked<unknown>>
}

/** A tool that an agent offers to its model. */
export type Tool = BackendTool | FrontendTool
