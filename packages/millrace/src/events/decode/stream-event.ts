import type { Extras } from '../envelope/envelope.ts'
import type { JsonObject } from '../../json/index.ts'

/** Fields of every event of a stream. */
export interface StreamEventBase {
  /** The id of the agent; sub-agents have their own. */
  readonly agent: string
  /** The id of the last frame that it was read from. */
  readonly id: number
  /** The number of frames of the log that its last frame stands for. [LOG-5] */
  readonly span: number
  /** A key that is unique in the log and the same at every reading: `b` and the id of the first frame. */
  readonly block: string
  /** The `id` on the wire: that of a call, or of one of several open blocks; empty without one. [ENV-7] */
  readonly wireId: string
  /** Further extra fields, by their names on the wire. */
  readonly fields: Extras
}

/** Returns the id of the first frame of an event's block, or of the event. */
export function firstIdOf({ block }: Pick<StreamEventBase, 'block'>): number {
  return Number(block.slice(1))
}

/** A piece of a block. A block of one piece has `start` and `end`. */
export interface PieceBase extends StreamEventBase {
  /** The text that this piece adds. */
  readonly text: string
  readonly start: boolean
  readonly end: boolean
  /** Whether the block was cut; only with `end`. [LIFE-14] */
  readonly interrupted: boolean
}

/** The call that a piece or an item belongs to. */
export interface OfCall {
  readonly callId: string
  /** The name of the tool. */
  readonly name: string
}

/** A piece of the answer. */
export interface TextPiece extends PieceBase {
  readonly type: 'text'
  /** Whether it is a summary that the model wrote for itself. [EXT-3] */
  readonly isSummary: boolean
}

/** A piece of a model's reasoning. */
export interface ThinkingPiece extends PieceBase {
  readonly type: 'thinking'
  readonly redacted: boolean
}

/** A piece of a call: its arguments as the model writes them. */
export interface CallPiece extends PieceBase, OfCall {
  readonly type: 'tool_call' | 'server_tool_call'
  /** The server of the provider that runs the tool. */
  readonly serverName: string | undefined
}

/** A piece of the result of a call; `text` of a server tool is the provider's JSON. */
export interface ResultPiece extends PieceBase, OfCall {
  readonly type: 'tool_result' | 'server_tool_result'
  readonly isError: boolean
}

/** A piece of a message that a user sent to an active run. */
export interface UserMessagePiece extends PieceBase {
  readonly type: 'user_message'
}

/** A piece of any block. */
export type Piece = TextPiece | ThinkingPiece | CallPiece | ResultPiece | UserMessagePiece

/** A passage that supports the text before it; `fields` describe its source. */
export interface CitationEvent extends StreamEventBase {
  readonly type: 'citation'
  readonly citedText: string
}

/** An image of a tool result. */
export interface ImageEvent extends StreamEventBase, OfCall {
  readonly type: 'tool_result_image'
  readonly src: string
  readonly mediaType: string
}

/** A call has reached another stage; `fields` record a decision. [APR-3] */
export interface StatusEvent extends StreamEventBase, OfCall {
  readonly type: 'tool_status'
  readonly stage: string
  readonly detail: string
}

/** A prompt was queued behind a run, or left the queue without starting. [CMD-5] */
export interface QueuedPromptEvent extends StreamEventBase {
  readonly type: 'queued_prompt'
  readonly messageId: string
  readonly state: string
  readonly text: string
}

/** Fields of an event whose frames hold JSON. Members that the JSON lacks are absent. */
export interface PayloadEvent extends StreamEventBase {
  /** The JSON as it was read, with members of newer versions. [ENV-9] */
  readonly payload: JsonObject
}

/** A run starts. */
export interface RunStartEvent extends PayloadEvent {
  readonly type: 'run_start'
  readonly runId?: string
  readonly prompt?: string
  readonly messageId?: string
  readonly model?: string
  readonly name?: string
  readonly parentAgent?: string
  readonly parentToolUseId?: string
}

/** The totals of a step or a run. */
interface Totals {
  readonly stopReason?: string
  readonly usage?: JsonObject
  /** Null if a price is unknown. [COST-2] */
  readonly cost?: JsonObject | null
}

/** The model's part of a step has ended. */
export interface StepEndEvent extends PayloadEvent, Totals {
  readonly type: 'step_end'
  readonly step?: number
}

/** The run ended, or paused. */
export interface RunEndEvent extends PayloadEvent, Totals {
  readonly type: 'run_end'
  readonly steps?: number
}

/** The content of the step so far is void. The step is tried again. [LIFE-8] */
export interface RollbackEvent extends PayloadEvent {
  readonly type: 'rollback'
  readonly step?: number
  readonly attempt?: number
  readonly reason?: string
}

/** A call without a result so far. */
export interface PendingCall {
  readonly callId: string
  readonly name: string
  readonly input: unknown
  /** The agent that made the call. */
  readonly agent: string
  /** The fields of its request for approval: `input_hash`, `asked_at` and `expires_at`. [APR-1] */
  readonly request: JsonObject
}

/** The run pauses until these calls are answered or decided on. */
export interface PauseEvent extends PayloadEvent {
  readonly type: 'awaiting_frontend_tools' | 'awaiting_approval'
  readonly calls: readonly PendingCall[]
}

/** Files are ready. */
export interface FilesEvent extends PayloadEvent {
  readonly type: 'files'
}

/** The conversation sent to the model was shortened. */
export interface CompactionEvent extends PayloadEvent {
  readonly type: 'compaction'
  readonly strategy?: string
  readonly tokensBefore?: number
  readonly tokensAfter?: number
}

/** The run failed. */
export interface ErrorEvent extends PayloadEvent {
  readonly type: 'error'
  readonly kind?: string
  readonly message?: string
  readonly code?: string
  readonly retriable?: boolean
}

/** The full summary of a run, sent only on request. [LIFE-9] */
export interface RunSummaryEvent extends PayloadEvent {
  readonly type: 'run_summary'
}

/** A frame of a type that this version does not know. */
export interface UnknownEvent extends StreamEventBase {
  readonly type: 'unknown'
  /** The type on the wire. */
  readonly wire: string
  readonly text: string
}

/** All events that the frames of a stream give. */
export type StreamEvent =
  | Piece
  | CitationEvent
  | ImageEvent
  | StatusEvent
  | QueuedPromptEvent
  | RunStartEvent
  | StepEndEvent
  | RunEndEvent
  | RollbackEvent
  | PauseEvent
  | FilesEvent
  | CompactionEvent
  | ErrorEvent
  | RunSummaryEvent
  | UnknownEvent

/** The members of a union that can have a type; one member may have several. */
export type OfType<Event, Type> = Event extends { readonly type: infer Types }
  ? Type extends Types
    ? Event
    : never
  : never
