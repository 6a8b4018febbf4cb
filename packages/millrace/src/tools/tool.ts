import type { ContentBlock, ToolSchema } from '../events/index.ts'
import type { JsonValue } from '../json/index.ts'
import type { Checked } from './input-contract.ts'

/** What a tool is told about the call that it answers. */
export interface ToolContext {
  /** Aborts when the run is stopped or the tool's time is over. */
  readonly signal: AbortSignal
  readonly toolUseId: string
  /** The same for every attempt at this call, also after a restart, and no other's. */
  readonly idempotencyKey: string
  /** The id of the agent that calls. */
  readonly agent: string
  /** Tells whoever watches how far the tool is, in a short sentence. */
  readonly progress: (message: string) => void
}

/** An image that a tool returns: bytes as base64, or an address. */
export type ToolImage =
  | { readonly data: string; readonly mediaType: string }
  | { readonly url: string; readonly mediaType: string }

/** A document that a tool returns for the model to read: a PDF as base64, or text. */
export type ToolDocument =
  | { readonly data: string; readonly mediaType: 'application/pdf'; readonly title?: string }
  | { readonly text: string; readonly title?: string }

/** A result with more than one part; an object with any other key is taken as JSON. */
export interface RichOutput {
  readonly text?: string
  readonly images?: readonly ToolImage[]
  readonly documents?: readonly ToolDocument[]
  readonly isError?: boolean
}

/** What a tool may return; content blocks of the Messages API (`text`, `image`, `document`) are sent as such. */
export type ToolOutput = JsonValue | RichOutput | ContentBlock | readonly ContentBlock[] | undefined

/** What every tool has. */
interface ToolBase {
  readonly schema: ToolSchema
  /** Whether a person must agree to a call with these arguments; wrong ones need no one's word. */
  readonly needsApproval: (value: unknown) => Promise<boolean>
}

/** A tool that runs on the server. */
export interface BackendTool extends ToolBase {
  readonly kind: 'backend'
  readonly timeoutMs: number
  /** Whether the call may be made again when a crash has left its outcome unknown. */
  readonly idempotent: boolean
  /** Checks the arguments and runs; rejects with what the tool throws. */
  readonly call: (value: unknown, context: ToolContext) => Promise<Checked<unknown>>
}

/** A tool that runs in the browser: the server knows only what it asks for. */
export interface FrontendTool extends ToolBase {
  readonly kind: 'frontend'
  readonly check: (value: unknown) => Promise<Checked<unknown>>
}

/** A tool that an agent offers to its model. */
export type Tool = BackendTool | FrontendTool
