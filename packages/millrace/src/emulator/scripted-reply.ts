import type { JsonObject, JsonValue } from '../json/index.ts'
import type { ApiError } from './api-error.ts'
import type { Fault } from './faults/fault.ts'
import type { Pace } from './pace.ts'

/** A passage that supports a text, in the shape of the API: `char_location`, `page_location` and so on. */
export interface ScriptedCitation extends JsonObject {
  readonly type: string
  readonly cited_text: string
}

/** Text, said in pieces of about a word, or in exactly the given pieces; its citations come before it. */
export interface ScriptedText {
  readonly type: 'text'
  readonly text: string | readonly string[]
  readonly citations?: readonly ScriptedCitation[]
  /** The block is never stopped. */
  readonly unfinished?: boolean
}

/** Reasoning; its signature is made from it. Without a word it is thinking that the API does not show. */
export interface ScriptedThinking {
  readonly type: 'thinking'
  readonly thinking: string
  readonly unfinished?: boolean
}

/** Reasoning that the API shows only as a secret; made up if not given. */
export interface ScriptedRedactedThinking {
  readonly type: 'redacted_thinking'
  readonly data?: string
}

interface ScriptedCall {
  readonly name: string
  /** An object, or the JSON that the model writes: as one text or in exact pieces, right or wrong. */
  readonly input: JsonObject | string | readonly string[]
  /** Made up if not given. */
  readonly id?: string
  /** Further fields of the block, such as `caller` or `toolset_name`. */
  readonly fields?: JsonObject
  /** The whole input stands in the block's start, as in calls that code makes. */
  readonly isWhole?: boolean
  readonly unfinished?: boolean
}

/** A call of a tool that the request offers; its input is sent in pieces of JSON. */
export interface ScriptedToolUse extends ScriptedCall {
  readonly type: 'tool_use'
}

/** A call of a tool that the provider runs itself. */
export interface ScriptedServerToolUse extends ScriptedCall {
  readonly type: 'server_tool_use'
}

/** A call of a tool on an MCP server that the provider talks to. */
export interface ScriptedMcpToolUse extends ScriptedCall {
  readonly type: 'mcp_tool_use'
  readonly serverName: string
}

/** What the provider's own call gave: `web_search_tool_result`, `mcp_tool_result` and so on. */
export interface ScriptedToolResult {
  readonly type: `${string}_tool_result`
  readonly content: JsonValue
  /** Default: the first call that fits and has no result yet, in this message or the one before. */
  readonly toolUseId?: string
  /** Further fields of the block, such as `is_error`. */
  readonly fields?: JsonObject
  /** How long the tool works, at natural pace. */
  readonly waitMs?: number
}

/** A summary that stands for what came before it; null is a compaction that failed. */
export interface ScriptedCompaction {
  readonly type: 'compaction'
  readonly content: string | null
}

/** A block of any other type, as it is: `container_upload`, `fallback`, or one that nobody knows yet. */
export interface ScriptedRawBlock {
  readonly type: 'raw'
  readonly block: JsonObject
  readonly deltas?: readonly JsonObject[]
}

/** The stream fails here and ends. */
export interface ScriptedError {
  readonly type: 'error'
  readonly error: ApiError
}

/** One part of a scripted reply. */
export type ScriptedBlock =
  | ScriptedText
  | ScriptedThinking
  | ScriptedRedactedThinking
  | ScriptedToolUse
  | ScriptedServerToolUse
  | ScriptedMcpToolUse
  | ScriptedToolResult
  | ScriptedCompaction
  | ScriptedRawBlock
  | ScriptedError

/** What the scripted model says in one turn. */
export interface ScriptedReply {
  readonly blocks: readonly ScriptedBlock[]
  /** Default: `tool_use` if there is a call, else `end_turn`; a limit that cuts the reply goes before. */
  readonly stopReason?: string
  readonly stopDetails?: JsonObject
  /** The limit of output tokens, whatever the request says. */
  readonly maxTokens?: number
  /** Usage where it is not to be counted; fields go where the API tells them, at the start, at the end or both. */
  readonly usage?: JsonObject
  /** Usage that the start tells otherwise than the end. */
  readonly startUsage?: JsonObject
  /** What else the end tells: `container`, `context_management`. */
  readonly ending?: { readonly container?: JsonObject; readonly context_management?: JsonObject }
  /** The message is told whole in its start, with nothing but the end behind it. */
  readonly isPrefilled?: boolean
  /** A speed of its own, whatever that of the emulator is. */
  readonly pace?: Pace
  /** What goes wrong with this reply. */
  readonly faults?: readonly Fault[]
}
