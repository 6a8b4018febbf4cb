/** What `delta` holds once a block is whole; `input` is JSON in the model's own words, which may be cut or wrong. */
export type DeltaContent = 'text' | 'json' | 'input' | 'empty'

/** The JSON type of an extra field. */
export type FieldKind = 'string' | 'integer' | 'boolean'

/**
 * What a type means for its agent's step. A `boundary` ends what a `rollback` can void, `content` may be voided, and
 * what is `outside` belongs to the run. [LIFE-8]
 */
export type StepRole = 'boundary' | 'content' | 'outside'

/** What is true of one message type; code asks this table and never names a type in a switch. */
export interface EnvelopeTraits {
  /** Incremental blocks end with an empty final message, buffered ones with their last piece. [ENV-6] */
  readonly emission: 'incremental' | 'buffered'
  readonly delta: DeltaContent
  /** `block`: messages join until `final`. `item`: each message is a thing of its own. [ENV-8] */
  readonly unit: 'block' | 'item'
  /** Seed types are understood by every reader; extensions may be left out on request. [EXT-1] */
  readonly origin: 'seed' | 'extension' | 'older'
  readonly step: StepRole
  /** The final answer is the text after the last whole block of such a type. [LIFE-15] */
  readonly beforeAnswer?: true
  readonly required: Readonly<Record<string, FieldKind>>
  readonly optional: Readonly<Record<string, FieldKind>>
  readonly summary: string
}

const none = {} as const
const toolFields = { id: 'string', name: 'string' } as const
/** Stands on the message that closes a block which was cut. [LIFE-14] */
const interrupted = { interrupted: 'boolean' } as const

/** The traits of a type that says one thing in JSON and has no fields of its own. */
function payload(
  origin: EnvelopeTraits['origin'],
  step: StepRole,
  summary: string,
): EnvelopeTraits {
  const form = { emission: 'buffered', delta: 'json', unit: 'block' } as const
  return { ...form, origin, step, required: none, optional: none, summary }
}

/** Every message type of the wire, in the order of PROTOCOL.md. */
export const catalog = {
  meta_init: {
    ...payload(
      'seed',
      'boundary',
      'A run starts: format, prompt, agent, model and its place in the tree of agents.',
    ),
    beforeAnswer: true,
  },
  thinking: {
    emission: 'incremental',
    delta: 'text',
    unit: 'block',
    origin: 'seed',
    step: 'content',
    required: none,
    optional: { id: 'string', redacted: 'boolean', ...interrupted },
    summary: 'Reasoning of the model, as it arrives.',
  },
  text: {
    emission: 'incremental',
    delta: 'text',
    unit: 'block',
    origin: 'seed',
    step: 'content',
    required: none,
    optional: { id: 'string', ...interrupted },
    summary: 'Text of the answer, as it arrives.',
  },
  citation: {
    emission: 'buffered',
    delta: 'text',
    unit: 'item',
    origin: 'seed',
    step: 'content',
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
    summary: 'A passage that supports the text block before it; `delta` is the cited text.',
  },
  tool_call: {
    emission: 'buffered',
    delta: 'input',
    unit: 'block',
    origin: 'seed',
    step: 'content',
    beforeAnswer: true,
    required: toolFields,
    optional: interrupted,
    summary: 'The model calls a tool of ours; `delta` is the arguments as the model wrote them.',
  },
  server_tool_call: {
    emission: 'buffered',
    delta: 'input',
    unit: 'block',
    origin: 'seed',
    step: 'content',
    beforeAnswer: true,
    required: toolFields,
    optional: { server_name: 'string', ...interrupted },
    summary: 'The model calls a tool that its provider runs.',
  },
  tool_result: {
    emission: 'buffered',
    delta: 'text',
    unit: 'block',
    origin: 'seed',
    step: 'boundary',
    beforeAnswer: true,
    required: toolFields,
    optional: { is_error: 'boolean', ...interrupted },
    summary: 'What a tool of ours, or one in the browser, answered.',
  },
  tool_result_image: {
    emission: 'buffered',
    delta: 'empty',
    unit: 'item',
    origin: 'seed',
    step: 'outside',
    required: { ...toolFields, src: 'string', media_type: 'string' },
    optional: none,
    summary: 'An image inside the tool result with the same id; never final.',
  },
  server_tool_result: {
    emission: 'buffered',
    delta: 'json',
    unit: 'block',
    origin: 'seed',
    step: 'content',
    beforeAnswer: true,
    required: toolFields,
    optional: { is_error: 'boolean', ...interrupted },
    summary: 'What a tool that the provider ran answered.',
  },
  awaiting_frontend_tools: payload(
    'seed',
    'outside',
    'The run is paused until the browser has answered these calls.',
  ),
  meta_files: payload('seed', 'outside', 'Files that the run has made.'),
  error: payload(
    'seed',
    'boundary',
    'The run failed: type, message, code and whether trying again may help.',
  ),
  meta_final: payload('seed', 'outside', 'The full summary of a run, sent only when asked for.'),
  meta_step: payload(
    'extension',
    'boundary',
    'A step ended: its number, stop reason, usage and cost.',
  ),
  meta_end: payload(
    'extension',
    'boundary',
    'The run ended or paused: stop reason, steps, usage and cost.',
  ),
  rollback: payload(
    'extension',
    'boundary',
    'What this step has shown so far is void; it is being tried again.',
  ),
  awaiting_approval: payload(
    'extension',
    'outside',
    'The run is paused until a person has decided on these calls.',
  ),
  tool_status: {
    emission: 'buffered',
    delta: 'text',
    unit: 'item',
    origin: 'extension',
    step: 'outside',
    required: { ...toolFields, stage: 'string' },
    optional: { by: 'string', at: 'string', input_hash: 'string', edited: 'boolean' },
    summary: 'A call has come to another stage; `delta` says more of it.',
  },
  user_message: {
    emission: 'buffered',
    delta: 'text',
    unit: 'block',
    origin: 'extension',
    step: 'boundary',
    beforeAnswer: true,
    required: none,
    optional: { message_id: 'string' },
    summary: 'A person has written to the run under way.',
  },
  queued_prompt: {
    emission: 'buffered',
    delta: 'text',
    unit: 'item',
    origin: 'extension',
    step: 'outside',
    required: { message_id: 'string', state: 'string' },
    optional: none,
    summary: 'A prompt waits for the end of the run, or has left the queue without a run.',
  },
  meta_compaction: payload(
    'extension',
    'outside',
    'What the model is sent from now on is shorter than what was said.',
  ),
  aborted: payload(
    'older',
    'boundary',
    'The run was stopped (older dialect: `meta_end` says it today).',
  ),
  compaction_start: payload(
    'older',
    'outside',
    'Text up to `compaction_end` is a summary for the model, not an answer (older dialect).',
  ),
  compaction_end: payload(
    'older',
    'outside',
    'The end of what `compaction_start` began (older dialect).',
  ),
} as const satisfies Record<string, EnvelopeTraits>

/** A message type that this version of the protocol knows. */
export type EnvelopeType = keyof typeof catalog

/** The traits of a message type, or undefined for one from a newer version. */
export function traitsOf(type: string): EnvelopeTraits | undefined {
  return Object.hasOwn(catalog, type) ? catalog[type as EnvelopeType] : undefined
}

/** Tells whether a message ends what a `rollback` of its agent can void. [LIFE-8] */
export function isStepBoundary(type: string): boolean {
  return traitsOf(type)?.step === 'boundary'
}

/** Tells whether a type can say on its closing message that its block was cut. [LIFE-14] */
export function canBeInterrupted(type: string): boolean {
  return traitsOf(type)?.optional['interrupted'] !== undefined
}
