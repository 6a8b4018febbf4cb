import type { JsonObject, JsonValue } from 'millrace'
import type { ApiError } from '../routes/api-error.ts'
import type { Fault } from '../faults/fault.ts'
import type { Pace } from '../pace.ts'

/** A citation of a text, in the format of the API: `char_location`, `page_location` and so on. */
export interface ScriptedCitation extends JsonObject {
  readonly type: string
  readonly cited_text: string
}

/** Text, sent in chunks of about a word or in exactly the given chunks; its citations precede it. */
export interface ScriptedText {
  readonly type: 'text'
  readonly text: string | readonly string[]
  readonly citations?: readonly ScriptedCitation[]
  /** The block is never closed. */
  readonly unfinished?: boolean
}

/** Thinking; its signature is derived from its text. Empty text is thinking that the API does not show. */
export interface ScriptedThinking {
  readonly type: 'thinking'
  readonly thinking: string
  readonly unfinished?: boolean
}

/** Thinking that the API shows only encrypted; generated if not given. */
export interface ScriptedRedactedThinking {
  readonly type: 'redacted_thinking'
  readonly data?: string
}

interface ScriptedCall {
  readonly name: string
  /** An object, or the JSON that the model writes: as one text or in exact chunks, valid or not. */
  readonly input: JsonObject | string | readonly string[]
  /** Generated if not given. */
  readonly id?: string
  /** Additional fields of the block, such as `caller` or `toolset_name`. */
  readonly fields?: JsonObject
  /** The block's start holds the whole input, as in calls made by code. */
  readonly isWhole?: boolean
  readonly unfinished?: boolean
}

/** A call of a tool that the request offers; its input is sent in chunks of JSON. */
export interface ScriptedToolUse extends ScriptedCall {
  readonly type: 'tool_use'
}

/** A call of a server tool. */
export interface ScriptedServerToolUse extends ScriptedCall {
  readonly type: 'server_tool_use'
}

/** A call of an MCP tool that the provider makes. */
export interface ScriptedMcpToolUse extends ScriptedCall {
  readonly type: 'mcp_tool_use'
  readonly serverName: string
}

/** Result of a server tool: `web_search_tool_result`, `mcp_tool_result` and so on. */
export interface ScriptedToolResult {
  readonly type: `${string}_tool_result`
  readonly content: JsonValue
  /** Default: the first matching call without a result, in this message or the previous one. */
  readonly toolUseId?: string
  /** Additional fields of the block, such as `is_error`. */
  readonly fields?: JsonObject
  /** Duration of the tool, scaled by the pace. */
  readonly waitMs?: number
}

/** A summary that replaces earlier messages; null is a failed compaction. */
export interface ScriptedCompaction {
  readonly type: 'compaction'
  readonly content: string | null
}

/** A block of any other type, sent unchanged: `container_upload`, `fallback`, or an unknown type. */
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

/** The reply of a scripted model in one turn. */
export interface ScriptedReply {
  readonly blocks: readonly ScriptedBlock[]
  /** Default: `tool_use` if there is a call, else `end_turn`; a limit that cuts the reply takes precedence. */
  readonly stopReason?: string
  readonly stopDetails?: JsonObject
  /** Limit of output tokens, regardless of the request. */
  readonly maxTokens?: number
  /** Usage that replaces the counts; each field is sent where the API sends it: at the start, at the end, or both. */
  readonly usage?: JsonObject
  /** Usage at the start that differs from the end. */
  readonly startUsage?: JsonObject
  /** Additional fields of the end: `container`, `context_management`. */
  readonly ending?: { readonly container?: JsonObject; readonly context_management?: JsonObject }
  /** The message is complete in its start; only the end follows. */
  readonly isPrefilled?: boolean
  /** Pace of this reply, regardless of the emulator's pace. */
  readonly pace?: Pace
  /** Faults of this reply. */
  readonly faults?: readonly Fault[]
}
