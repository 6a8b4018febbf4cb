import type { EnvelopeTraits } from './envelope-traits.ts'
import type { JsonObject } from '../../json/index.ts'

const toolFields = { id: 'string', name: 'string' } as const
const toolMembers = { callId: 'id', name: 'name' } as const
/** Members of step and run ends; `cost` is null if a price is unknown. [COST-2] */
const stopReason = { stopReason: 'stop_reason' } as const
const totals = { usage: ['usage', 'object'], cost: ['cost', 'object'] } as const
/** Set on the frame that closes an interrupted block. [LIFE-14] */
const interrupted = { interrupted: 'boolean' } as const

const prose = {
  emission: 'incremental',
  delta: 'text',
  origin: 'seed',
  step: 'content',
  grows: true,
  isConversation: true,
} as const
const wholeText = { delta: 'text' } as const
const call = {
  delta: 'input',
  origin: 'seed',
  step: 'content',
  grows: true,
  beforeAnswer: true,
  isConversation: true,
  required: toolFields,
} as const
const item = { delta: 'text', isItem: true } as const
/** JSON in `delta`, without other fields. */
const payload = { delta: 'json' } as const
const pause = {
  ...payload,
  isList: true,
  step: 'outside',
  phase: 'paused',
  allowedIn: ['paused'],
  needsClosedBlocks: true,
} as const

const hiddenInput = [
  'awaiting_approval',
  'awaiting_approval.input',
  'awaiting_approval.delta',
] as const

/** All frame types of the wire, in the order of PROTOCOL.md. */
export const catalog = {
  meta_init: {
    ...payload,
    event: 'run_start',
    startsRun: true,
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
    hiddenWith: {
      user_files: ['meta_files', 'meta_files.files', 'meta_files.delta', 'meta_init.user_query'],
    },
    isNeeded: true,
  },
  thinking: { ...prose, optional: { id: 'string', redacted: 'boolean', ...interrupted } },
  text: { ...prose, optional: { id: 'string', ...interrupted } },
  citation: {
    ...item,
    textMember: 'citedText',
    partOf: 'text',
    place: 'after',
    unpackedWith: 'citation_type',
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
  tool_call: { ...call, answeredBy: 'tool_result', optional: interrupted },
  server_tool_call: {
    ...call,
    answeredBy: 'server_tool_result',
    isOfProvider: true,
    optional: { server_name: 'string', ...interrupted },
  },
  tool_result: {
    ...wholeText,
    answers: 'tool_call',
    needsCall: true,
    showsCommand: true,
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
    place: 'inside',
    origin: 'seed',
    step: 'outside',
    allowedIn: ['paused'],
    isConversation: true,
    required: { ...toolFields, src: 'string', media_type: 'string' },
  },
  server_tool_result: {
    ...payload,
    answers: 'server_tool_call',
    isOfProvider: true,
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
    members: { step: ['step', 'number'], ...stopReason, ...totals },
    step: 'boundary',
    needsClosedBlocks: true,
    isNeeded: true,
  },
  meta_end: {
    ...payload,
    event: 'run_end',
    showsCommand: true,
    members: { ...stopReason, steps: ['total_steps', 'number'], ...totals },
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
    step: 'boundary',
    needsClosedBlocks: true,
    isNeeded: true,
  },
  // Short arguments can be guessed from their hash, and the status of a call quotes edited ones.
  awaiting_approval: { ...pause, hiddenWith: { input_hash: hiddenInput } },
  tool_status: {
    ...item,
    textMember: 'detail',
    members: { ...toolMembers, stage: 'stage' },
    showsCommand: true,
    hiddenWith: { input_hash: hiddenInput, delta: hiddenInput },
    partOf: 'tool_call',
    step: 'outside',
    phase: 'running',
    allowedIn: ['paused'],
    required: { ...toolFields, stage: 'string' },
    optional: { by: 'string', at: 'string', input_hash: 'string', edited: 'boolean' },
  },
  user_message: {
    ...wholeText,
    members: { messageId: 'message_id' },
    showsCommand: true,
    step: 'boundary',
    beforeAnswer: true,
    isConversation: true,
    optional: { message_id: 'string' },
  },
  queued_prompt: {
    ...item,
    sender: 'server',
    showsCommand: true,
    // It has the text that its run will have.
    hiddenWith: { delta: ['meta_init.user_query'] },
    members: { messageId: 'message_id', state: 'state' },
    step: 'outside',
    allowedIn: ['paused', 'failed', 'ended'],
    isBeside: true,
    required: { message_id: 'string', state: 'string' },
  },
  meta_compaction: {
    ...payload,
    event: 'compaction',
    members: {
      strategy: 'strategy',
      tokensBefore: ['tokens_before', 'number'],
      tokensAfter: ['tokens_after', 'number'],
    },
    fallback: 'data',
    step: 'outside',
  },
  aborted: {
    ...payload,
    event: 'run_end',
    payload: { stop_reason: 'aborted' },
    members: { ...stopReason, ...totals },
    origin: 'older',
    step: 'boundary',
  },
  compaction_start: { ...payload, isSummaryNext: true, origin: 'older', step: 'outside' },
  compaction_end: { ...payload, isSummaryNext: false, origin: 'older', step: 'outside' },
} as const satisfies Record<string, EnvelopeTraits>

/** The type of a placeholder for frames that its reader may not see. It has no event. [LOG-8] */
export const HIDDEN_TYPE = 'hidden'

/** A frame type of this version of the protocol. */
export type EnvelopeType = keyof typeof catalog

type Rows = typeof catalog

/** The rows of the catalogue by the names of their events; those of older types have no events of their own. */
export type EventRows = {
  readonly [Type in keyof Rows as NameIn<Rows[Type], Type>]: Rows[Type]
}

type NameIn<Row, Type> = Row extends { readonly origin: 'older' }
  ? never
  : Row extends { readonly event: infer Name extends string }
    ? Name
    : Type

interface Kinds {
  readonly number: number
  readonly boolean: boolean
  readonly object: JsonObject | null
}

type ValueOf<Source> = Source extends readonly [string, infer Kind extends keyof Kinds]
  ? Kinds[Kind]
  : string

type NamedMembers<Row> = Row extends { readonly members: infer Sources }
  ? { readonly [Name in keyof Sources]: ValueOf<Sources[Name]> }
  : unknown

type TextMember<Row> = Row extends { readonly delta: 'text' }
  ? Row extends { readonly textMember: infer Name extends string }
    ? Name
    : 'text'
  : never

/** The members of an event as its row names them. */
export type MembersOf<Event extends keyof EventRows> = NamedMembers<EventRows[Event]> & {
  readonly [Name in TextMember<EventRows[Event]>]: string
}
