import type { ContentBlock, ToolSchema } from '../events/index.ts'
import type { JsonValue } from '../json/index.ts'
import type { Checked } from './input-contract.ts'
import { badRequest } from '../errors/index.ts'

/** Context of a tool call. */
export interface ToolContext<Context = unknown> {
  /** The context of the run, as the option `context` of the server returned it; undefined without one. */
  readonly context: Context
  /** Aborts when the run is stopped or the tool times out. */
  readonly signal: AbortSignal
  readonly callId: string
  /** A key of this call. It is the same for every attempt, also after a restart, and unique. */
  readonly idempotencyKey: string
  /** The id of the calling agent. */
  readonly agent: string
  /** Reports progress to readers, as a short sentence. */
  readonly progress: (message: string) => void
}

/** The circumstances of a call, for its approval rule. */
export interface ApprovalContext<Context = unknown> {
  /** The context of the run, as the option `context` of the server returned it; undefined without one. */
  readonly context: Context
}

/** An image in a tool result: base64 data or a URL. */
export type ToolImage =
  | { readonly data: string; readonly mediaType: string }
  | { readonly url: string; readonly mediaType: string }

/** A document in a tool result: a PDF as base64, or text. */
export type ToolDocument =
  | { readonly data: string; readonly mediaType: 'application/pdf'; readonly title?: string }
  | { readonly text: string; readonly title?: string }

/** A result with several parts. An object with any other key is treated as JSON. */
export interface RichOutput {
  readonly text?: string
  readonly images?: readonly ToolImage[]
  readonly documents?: readonly ToolDocument[]
  readonly isError?: boolean
}

/** Return value of a tool. Content blocks of the Messages API (`text`, `image`, `document`) are sent unchanged. */
export type ToolOutput = JsonValue | RichOutput | ContentBlock | readonly ContentBlock[] | undefined

interface ToolBase {
  readonly schema: ToolSchema
  /** Whether a call with these arguments needs approval. Invalid arguments need none. */
  readonly needsApproval: (value: unknown, call?: ApprovalContext) => Promise<boolean>
}

/** A tool that runs on the server. */
export interface BackendTool extends ToolBase {
  readonly kind: 'backend'
  readonly timeoutMs: number
  /** Whether the call may be repeated if a crash left its outcome unknown. */
  readonly idempotent: boolean
  /** Validates the arguments and runs the tool. Rejects with the tool's exception. */
  readonly call: (value: unknown, context: ToolContext) => Promise<Checked<unknown>>
}

/** A tool that runs in the browser. The server only validates its arguments. */
export interface FrontendTool extends ToolBase {
  readonly kind: 'frontend'
  readonly check: (value: unknown) => Promise<Checked<unknown>>
}

/** A tool that an agent offers to its model. */
export type Tool = BackendTool | FrontendTool

/** The tools of one agent, by name. */
export interface Toolbox {
  /** Schemas for the model, in the given order. */
  readonly schemas: readonly ToolSchema[]
  find(name: string): Tool | undefined
}

/** Creates a toolbox. Throws `bad_request` if two tools have the same name. */
export function createToolbox(tools: readonly Tool[]): Toolbox {
  const byName = new Map(tools.map((tool) => [tool.schema.name, tool]))
  if (byName.size < tools.length) {
    const names = tools.map((tool) => tool.schema.name)
    const twice = names.find((name, index) => names.indexOf(name) !== index)
    throw badRequest(`Two tools are named "${twice}"; rename one of them.`)
  }
  return { schemas: tools.map((tool) => tool.schema), find: (name) => byName.get(name) }
}
