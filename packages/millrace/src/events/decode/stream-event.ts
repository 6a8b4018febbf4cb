import type { Extras } from '../envelope/envelope.ts'
import type { EventRows, MembersOf } from '../catalog/catalog.ts'
import type { JsonObject } from '../../json/index.ts'

interface StreamEventBase {
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
interface PieceBase extends StreamEventBase {
  /** The text that this piece adds. */
  readonly text: string
  readonly start: boolean
  readonly end: boolean
  /** Whether the block was cut; only with `end`. [LIFE-14] */
  readonly interrupted: boolean
}

interface OfCall {
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

/** A call that the run waits for. */
export interface PausedCall {
  readonly callId: string
  readonly name: string
  /** The parsed arguments, or text if they are not JSON. */
  readonly input: unknown
  /** The agent that made the call. */
  readonly agent: string
  /** The fields of its request for approval: `input_hash`, `asked_at` and `expires_at`. [APR-1] */
  readonly request: JsonObject
}

interface UnknownEvent extends StreamEventBase {
  readonly type: 'unknown'
  /** The type on the wire. */
  readonly wire: string
  readonly text: string
}

/** The form of an event whose frames hold JSON. Members that the JSON lacks are absent. */
type PayloadMembers<Event extends keyof EventRows> = Partial<MembersOf<Event>> & {
  /** The JSON as it was read, with members of newer versions. [ENV-9] */
  readonly payload: JsonObject
} & (EventRows[Event] extends { readonly isList: true }
    ? { readonly calls: readonly PausedCall[] }
    : unknown)

/** The events that are no pieces of blocks, as their rows name their members. */
type WholeEvent = {
  readonly [Event in Exclude<keyof EventRows, Piece['type']>]: StreamEventBase & {
    readonly type: Event
  } & (EventRows[Event] extends { readonly delta: 'json' }
      ? PayloadMembers<Event>
      : MembersOf<Event>)
}[Exclude<keyof EventRows, Piece['type']>]

/** All events that the frames of a stream give. A row of the catalogue adds its event. */
export type StreamEvent = Piece | WholeEvent | UnknownEvent

/** A passage that supports the text before it; `fields` describe its source. */
export type CitationEvent = OfType<StreamEvent, 'citation'>

/** A call has reached another stage; `fields` record a decision. [APR-3] */
export type StatusEvent = OfType<StreamEvent, 'tool_status'>

/** The run pauses until these calls are answered or decided on. */
export type PauseEvent = OfType<StreamEvent, 'awaiting_frontend_tools' | 'awaiting_approval'>

/** A run starts. */
export type RunStartEvent = OfType<StreamEvent, 'run_start'>

/** The model's part of a step has ended. */
export type StepEndEvent = OfType<StreamEvent, 'step_end'>

/** The run ended, or paused. */
export type RunEndEvent = OfType<StreamEvent, 'run_end'>

/** The members of a union that can have a type; one member may have several. */
export type OfType<Event, Type> = Event extends { readonly type: infer Types }
  ? Type extends Types
    ? Event
    : never
  : never
