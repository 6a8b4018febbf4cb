/** What `delta` holds once a block is whole; `input` is JSON in the model's own words, which may be cut or wrong. */
export type DeltaContent = 'text' | 'json' | 'input' | 'empty'

/** The JSON type of an extra field. */
export type FieldKind = 'string' | 'integer' | 'boolean'

/**
 * What a type means for its agent's step. A `boundary` ends what a `rollback` can void, `content` may be voided, and
 * what is `outside` belongs to the run. [LIFE-8]
 */
export type StepRole = 'boundary' | 'content' | 'outside'

/** The name of a field that holds a string, or a name and the JavaScript type of its value. */
export type MemberSource = string | readonly [field: string, type: 'number' | 'boolean' | 'object']

/** A phase of an agent's run. */
export type RunPhase = 'running' | 'paused' | 'failed' | 'ended'

/** All traits of one message type; code asks this table and never names a type in a switch. */
export interface EnvelopeTraits {
  /** Incremental blocks end with an empty final message, buffered ones with their last piece. [ENV-6] */
  readonly emission: 'incremental' | 'buffered'
  readonly delta: DeltaContent
  /** The JSON in `delta` is a list. */
  readonly isList?: true
  /** `block`: messages join until `final`. `item`: each message is a thing of its own. [ENV-8] */
  readonly unit: 'block' | 'item'
  /** The type of block that an item belongs to. [ENV-8] */
  readonly partOf?: 'text' | 'tool_call' | 'tool_result'
  /** Seed types are understood by every reader; extensions may be left out on request. [EXT-1] */
  readonly origin: 'seed' | 'extension' | 'older'
  readonly step: StepRole
  /** The phase that a whole message leads to; `ended` unless its stop reason is a pause. [LIFE-6] */
  readonly phase?: RunPhase
  /** The phases, beside `running`, in which an agent may send it. [LIFE-6] */
  readonly allowedIn?: readonly RunPhase[]
  /** It comes only when every block of its agent is closed. [LIFE-2] */
  readonly needsClosedBlocks?: true
  /** It comes at any time, also between a text and its citations. [CMD-5] */
  readonly isBeside?: true
  /** Readers follow the block while it grows, and consecutive messages of it may be merged. [LOG-5] */
  readonly grows?: true
  /** The final answer is the text after the last whole block of such a type. [LIFE-15] */
  readonly beforeAnswer?: true
  /** A conversation consists of such messages, so its history reveals them. */
  readonly isConversation?: true
  /** The member that holds a history. */
  readonly history?: string
  /** Readers misread the rest of a stream without it, so a view hides fields of it only. [LOG-9] */
  readonly isNeeded?: true
  /** The name of its event; default: the type. */
  readonly event?: string
  /** Members of the event: each with the extra field, or the member of the JSON, that holds it. */
  readonly members?: Readonly<Record<string, MemberSource>>
  /** The member of the event that holds `delta`; default: `text`. */
  readonly textMember?: string
  /** The JSON that a type of an older version stands for. [EXT-3] */
  readonly payload?: Readonly<Record<string, string>>
  /** Whether text after it is a summary that a model wrote for itself. [EXT-3] */
  readonly isSummaryNext?: boolean
  /** Its form in a protocol that has none for it: a value under the name of the event, or nothing. */
  readonly fallback: 'data' | 'drop'
  /** The producer of the frame: an agent, or the server for it. */
  readonly sender: 'agent' | 'server'
  readonly required: Readonly<Record<string, FieldKind>>
  readonly optional: Readonly<Record<string, FieldKind>>
}

const none = {} as const
/** Every protocol has a form for it, and agents send it. */
const own = { fallback: 'drop', sender: 'agent' } as const
const toolFields = { id: 'string', name: 'string' } as const
const toolMembers = { callId: 'id', name: 'name' } as const
/** Members of the ends of steps and runs. */
const totals = {
  stopReason: 'stop_reason',
  usage: ['usage', 'object'],
  cost: ['cost', 'object'],
} as const
/** Stands on the message that closes a block which was cut. [LIFE-14] */
const interrupted = { interrupted: 'boolean' } as const

const prose = { ...own, emission: 'incremental', delta: 'text', unit: 'block' } as const
const wholeText = { ...own, emission: 'buffered', delta: 'text', unit: 'block' } as const
const input = { ...own, emission: 'buffered', delta: 'input', unit: 'block' } as const
const item = { ...own, emission: 'buffered', delta: 'text', unit: 'item' } as const
/** JSON in `delta`, without fields beside it. */
const payload = {
  ...own,
  emission: 'buffered',
  delta: 'json',
  unit: 'block',
  required: none,
  optional: none,
} as const
const pause = {
  ...payload,
  isList: true,
  step: 'outside',
  phase: 'paused',
  allowedIn: ['paused'],
  needsClosedBlocks: true,
} as const

/** Every message type of the wire, in the order of PROTOCOL.md. */
export const catalog = {
  meta_init: {
    ...payload,
    event: 'run_start',
    members: {
      prompt: 'user_query',
      runId: 'run_id',
      messageId: 'message_id',
      model: 'model',
      name: 'name',
      parentAgent: 'parent_agent_uuid',
      parentToolUseId: 'parent_tool_use_id',
    },
    origin: 'seed',
    step: 'boundary',
    phase: 'running',
    allowedIn: ['paused', 'failed', 'ended'],
    beforeAnswer: true,
    history: 'message_history',
    isNeeded: true,
  },
  thinking: {
    ...prose,
    origin: 'seed',
    step: 'content',
    grows: true,
    isConversation: true,
    required: none,
    optional: { id: 'string', redacted: 'boolean', ...interrupted },
  },
  text: {
    ...prose,
    origin: 'seed',
    step: 'content',
    grows: true,
    isConversation: true,
    required: none,
    optional: { id: 'string', ...interrupted },
  },
  citation: {
    ...item,
    textMember: 'citedText',
    partOf: 'text',
    origin: 'seed',
    step: 'content',
    isConversation: true,
    required: { citation_type: 'string' },
    optional: {
      id: 'string',
      document_index: 'integer',
      document_title: 'string',
      file_id: 'string',
      start_char_index: 'integer',
      end_char_index: 'integer',
      start_page_number: 'integer',
      end_page_number: 'integer',
      start_block_index: 'integer',
      end_block_index: 'integer',
      search_result_index: 'integer',
      source: 'string',
      url: 'string',
      title: 'string',
    },
  },
  tool_call: {
    ...input,
    origin: 'seed',
    step: 'content',
    grows: true,
    beforeAnswer: true,
    isConversation: true,
    required: toolFields,
    optional: interrupted,
  },
  server_tool_call: {
    ...input,
    origin: 'seed',
    step: 'content',
    grows: true,
    beforeAnswer: true,
    isConversation: true,
    required: toolFields,
    optional: { server_name: 'string', ...interrupted },
  },
  tool_result: {
    ...wholeText,
    origin: 'seed',
    step: 'boundary',
    phase: 'running',
    allowedIn: ['paused'],
    beforeAnswer: true,
    isConversation: true,
    required: toolFields,
    optional: { is_error: 'boolean', ...interrupted },
  },
  tool_result_image: {
    ...item,
    members: { ...toolMembers, src: 'src', mediaType: 'media_type' },
    delta: 'empty',
    partOf: 'tool_result',
    origin: 'seed',
    step: 'outside',
    allowedIn: ['paused'],
    isConversation: true,
    required: { ...toolFields, src: 'string', media_type: 'string' },
    optional: none,
  },
  server_tool_result: {
    ...payload,
    origin: 'seed',
    step: 'content',
    beforeAnswer: true,
    isConversation: true,
    required: toolFields,
    optional: { is_error: 'boolean', ...interrupted },
  },
  awaiting_frontend_tools: { ...pause, origin: 'seed' },
  meta_files: {
    ...payload,
    event: 'files',
    origin: 'seed',
    step: 'outside',
    allowedIn: ['failed'],
  },
  error: {
    ...payload,
    members: {
      kind: 'type',
      message: 'message',
      code: 'code',
      retriable: ['retriable', 'boolean'],
    },
    origin: 'seed',
    step: 'boundary',
    phase: 'failed',
    allowedIn: ['paused'],
    needsClosedBlocks: true,
  },
  meta_final: {
    ...payload,
    event: 'run_summary',
    origin: 'seed',
    step: 'outside',
    needsClosedBlocks: true,
    history: 'conversation_history',
  },
  meta_step: {
    ...payload,
    event: 'step_end',
    members: { step: ['step', 'number'], ...totals },
    origin: 'extension',
    step: 'boundary',
    needsClosedBlocks: true,
    isNeeded: true,
  },
  meta_end: {
    ...payload,
    event: 'run_end',
    members: { steps: ['total_steps', 'number'], ...totals },
    origin: 'extension',
    step: 'boundary',
    phase: 'ended',
    allowedIn: ['paused', 'failed'],
    needsClosedBlocks: true,
    isNeeded: true,
  },
  rollback: {
    ...payload,
    members: {
      step: ['step', 'number'],
      attempt: ['attempt', 'number'],
      reason: 'reason',
    },
    origin: 'extension',
    step: 'boundary',
    needsClosedBlocks: true,
    isNeeded: true,
  },
  awaiting_approval: { ...pause, origin: 'extension' },
  tool_status: {
    ...item,
    textMember: 'detail',
    members: { ...toolMembers, stage: 'stage' },
    partOf: 'tool_call',
    origin: 'extension',
    step: 'outside',
    phase: 'running',
    allowedIn: ['paused'],
    required: { ...toolFields, stage: 'string' },
    optional: { by: 'string', at: 'string', input_hash: 'string', edited: 'boolean' },
  },
  user_message: {
    ...wholeText,
    origin: 'extension',
    step: 'boundary',
    beforeAnswer: true,
    isConversation: true,
    required: none,
    optional: { message_id: 'string' },
  },
  queued_prompt: {
    ...item,
    sender: 'server',
    members: { messageId: 'message_id', state: 'state' },
    origin: 'extension',
    step: 'outside',
    allowedIn: ['paused', 'failed', 'ended'],
    isBeside: true,
    required: { message_id: 'string', state: 'string' },
    optional: none,
  },
  meta_compaction: {
    ...payload,
    event: 'compaction',
    members: {
      strategy: 'strategy',
      tokensBefore: ['tokens_before', 'number'],
      tokensAfter: ['tokens_after', 'number'],
    },
    origin: 'extension',
    step: 'outside',
  },
  aborted: {
    ...payload,
    event: 'run_end',
    payload: { stop_reason: 'aborted' },
    members: totals,
    origin: 'older',
    step: 'boundary',
  },
  compaction_start: { ...payload, isSummaryNext: true, origin: 'older', step: 'outside' },
  compaction_end: { ...payload, isSummaryNext: false, origin: 'older', step: 'outside' },
} as const satisfies Record<string, EnvelopeTraits>

/** The type of a frame that stands for frames that its reader may not see. It has no event. [LOG-8] */
export const HIDDEN_TYPE = 'hidden'

/** A message type that this version of the protocol knows. */
export type EnvelopeType = keyof typeof catalog

const rows = new Map<string, EnvelopeTraits>(Object.entries(catalog))
/** Rows of older types come last, and give way to today's. */
const typesByEvent = new Map<string, string>(
  Object.entries<EnvelopeTraits>(catalog)
    .map(([type, row]): [string, string] => [row.event ?? type, type])
    .reverse(),
)

/** The traits of a message type, or undefined for one from a newer version. */
export function traitsOf(type: string): EnvelopeTraits | undefined {
  return rows.get(type)
}

/** The traits of an event, by its name; undefined for one from a newer version. */
export function traitsOfEvent(name: string): EnvelopeTraits | undefined {
  return rows.get(typesByEvent.get(name) ?? '')
}

/** The message type of an event, by its name. */
export function typeOfEvent(name: string): string {
  return typesByEvent.get(name) ?? name
}

/** Lists the message types whose row has a trait. */
export function typesWith(trait: keyof EnvelopeTraits): readonly string[] {
  return [...rows].filter(([, row]) => row[trait] !== undefined).map(([type]) => type)
}

/** Checks for a type that ends the content which a `rollback` of its agent can void. [LIFE-8] */
export function isStepBoundary(type: string): boolean {
  return traitsOf(type)?.step === 'boundary'
}

/** Checks whether an agent may send a type in a phase. Types of newer versions are allowed in every phase. [LIFE-6] */
export function isAllowedIn(type: string, phase: RunPhase): boolean {
  const traits = traitsOf(type)
  return phase === 'running' || traits === undefined || traits.allowedIn?.includes(phase) === true
}

/** Checks for the stop reason of a pause, which is the type of the message that announces it. [LIFE-12] */
export function isPauseReason(stopReason: unknown): boolean {
  return typeof stopReason === 'string' && traitsOf(stopReason)?.phase === 'paused'
}

/** Checks for a type whose closing message can mark its block as interrupted. [LIFE-14] */
export function canBeInterrupted(type: string): boolean {
  return traitsOf(type)?.optional['interrupted'] !== undefined
}
