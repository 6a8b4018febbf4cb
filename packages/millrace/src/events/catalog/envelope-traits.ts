/** The content of `delta` in a whole block; `input` is JSON as the model wrote it, possibly incomplete or invalid. */
export type DeltaContent = 'text' | 'json' | 'input' | 'empty'

/** The JSON type of an extra field. */
export type FieldKind = 'string' | 'integer' | 'boolean'

/**
 * The role of a type in its agent's step. A `boundary` ends the frames that a `rollback` voids, `content` can be voided, and `outside`
 * belongs to the run. [LIFE-8]
 */
export type StepRole = 'boundary' | 'content' | 'outside'

/** The name of a field that holds a string, or a name and the JavaScript type of its value. */
export type MemberSource = string | readonly [field: string, type: 'number' | 'boolean' | 'object']

/** A phase of an agent's run. */
export type RunPhase = 'running' | 'paused' | 'failed' | 'ended'

/** All traits of one frame type. Code reads this table and has no switch over types. */
export interface EnvelopeTraits {
  /** Incremental blocks end with an empty final frame, buffered ones, the default, with their last frame. [ENV-6] */
  readonly emission?: 'incremental'
  readonly delta: DeltaContent
  /** The JSON in `delta` is a list. */
  readonly isList?: true
  /** Whether each frame stands alone, instead of being joined until `final`. [ENV-8] */
  readonly isItem?: true
  /** The type of block that an item belongs to. [ENV-8] */
  readonly partOf?: 'text' | 'tool_call' | 'tool_result'
  /** The place of an item: after the end of its block or inside the block; anywhere without it. [LIFE-3] [LIFE-4] */
  readonly place?: 'after' | 'inside'
  /** The field without which `delta` is JSON with the text and all fields, as older formats write it. [EXT-3] */
  readonly unpackedWith?: string
  /** The type of block that a result answers. */
  readonly answers?: 'tool_call' | 'server_tool_call'
  /** The type of block that answers a call. */
  readonly answeredBy?: 'tool_result' | 'server_tool_result'
  /** Whether its tool runs at the provider, which sends the call and the result in one message. */
  readonly isOfProvider?: true
  /** Whether it answers a call of its run that has no result yet. [LIFE-5] */
  readonly needsCall?: true
  /** Whether it is the first of a run and names the parent of a sub-agent. [LIFE-1] [LIFE-10] */
  readonly startsRun?: true
  /** Every reader understands seed types; extensions, the default, can be omitted on request. [EXT-1] */
  readonly origin?: 'seed' | 'older'
  /** Its only sender; absent if agents send it. */
  readonly sender?: 'server'
  readonly step: StepRole
  /** The phase after a whole frame; `ended` unless its stop reason is a pause. [LIFE-6] */
  readonly phase?: RunPhase
  /** The phases besides `running` in which an agent may send it. [LIFE-6] */
  readonly allowedIn?: readonly RunPhase[]
  /** Whether it requires that all blocks of its agent are closed. [LIFE-2] */
  readonly needsClosedBlocks?: true
  /** Whether it may come at any time, even between a text and its citations. [CMD-5] */
  readonly isBeside?: true
  /** Whether it shows the effect of a command, which is done then. [CMD-2] */
  readonly showsCommand?: true
  /** Whether readers follow the block while it grows, and consecutive frames of it may be merged. [LOG-5] */
  readonly grows?: true
  /** Whether the final answer starts after the last whole block of this type. [LIFE-15] */
  readonly beforeAnswer?: true
  /** Whether conversations consist of such frames, so that their history reveals them. */
  readonly isConversation?: true
  /** The member with a history. */
  readonly history?: string
  /** Fields that reveal others: each is hidden with one of these types, or fields of a type. [LOG-9] */
  readonly hiddenWith?: Readonly<Record<string, readonly string[]>>
  /** Whether readers need it to read the rest of a stream, so that a view hides only fields of it. [LOG-9] */
  readonly isNeeded?: true
  /** The name of its event; default: the type. */
  readonly event?: string
  /** Members of the event, each with its source: an extra field, or a member of the JSON. */
  readonly members?: Readonly<Record<string, MemberSource>>
  /** The member of the event that holds `delta`; default: `text`. */
  readonly textMember?: string
  /** The JSON that replaces the content of an older type. [EXT-3] */
  readonly payload?: Readonly<Record<string, string>>
  /** Whether text after it is a summary that a model wrote for itself. [EXT-3] */
  readonly isSummaryNext?: boolean
  /** Its form in a protocol without one for it: a value under the name of the event; nothing if absent. */
  readonly fallback?: 'data'
  readonly required?: Readonly<Record<string, FieldKind>>
  readonly optional?: Readonly<Record<string, FieldKind>>
}
