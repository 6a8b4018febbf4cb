import { z } from 'zod'
import type { ContentBlock } from '../../events/index.ts'
import { isJsonObject, type JsonObject } from '../../json/index.ts'
import { messageIdPattern, messageIdRule } from './message-id.ts'

/** Validators of the blocks that users may send. Calls and results of tools are written by the server only. */
const sentBlocks: ReadonlyMap<unknown, (block: JsonObject) => boolean> = new Map([
  ['text', ({ text }) => typeof text === 'string'],
  ['image', ({ source }) => isJsonObject(source)],
  ['document', ({ source }) => isJsonObject(source)],
])

/** The same as JSON Schema, for the API description. */
const contentShape = [
  { type: 'string' },
  {
    type: 'array',
    items: {
      anyOf: [
        shapeOf({ type: { const: 'text' }, text: { type: 'string' } }),
        shapeOf({ type: { enum: ['image', 'document'] }, source: { type: 'object' } }),
      ],
    },
  },
]

const content = z
  .custom<string | readonly ContentBlock[]>(
    (value) => typeof value === 'string' || (Array.isArray(value) && value.every(isSentBlock)),
    'must be text, or an array of blocks of type text, image or document: text with `text`, the others with a `source` object',
  )
  .meta({ anyOf: contentShape })

/** A prompt, also accepted as a complete user message. */
const prompt = z
  .preprocess(
    (value) => (isJsonObject(value) && value['role'] === 'user' ? value['content'] : value),
    content,
  )
  .refine(saysSomething, 'must not be empty or blank; send some text, an image or a document')
  .meta({
    anyOf: [
      ...contentShape,
      shapeOf({ role: { const: 'user' }, content: { anyOf: contentShape } }),
    ],
  })

/** The id of a session, case-insensitive. */
export const sessionId = z.uuid('must be a UUID').transform((id) => id.toLowerCase())

/** The ids of images, files and prompts in paths. */
export const imageId = z.string().regex(/^img_[0-9a-f]{12,32}$/)
/** The id of a file. */
export const fileId = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/)
/** The id of a prompt, which is its key. */
export const promptId = z.string().regex(messageIdPattern)

/** The session of a call, and its agent if the id names a sub-agent. [LIFE-10] */
const callOwner = z
  .string()
  .regex(
    /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}(\.\d+)*$/i,
    'must be the id of a session, or of an agent in it',
  )
  .transform((id) => {
    const agent = id.toLowerCase()
    const [session = agent] = agent.split('.')
    return agent === session ? { session } : { session, agent }
  })

/** The id of an agent, case-insensitive. */
const agentId = z
  .string()
  .min(1)
  .max(256)
  .transform((id) => id.toLowerCase())

/** The call of a request. Its id is unique in the session; the agent is only compared. [CALL-1] */
const callId = {
  tool_use_id: z.string().min(1).max(256),
  agent: agentId.optional(),
}

/** The key that identifies repeated requests. [CMD-2] */
const messageId = z.string().regex(messageIdPattern, messageIdRule).optional()

/** The id of a run, as in `meta_init`. */
const runId = z.string().min(1).max(256)

/** Fields of `POST /agent/run` that replace a run, in a branch. [BRANCH-5] */
const replacement = {
  /** The run whose prompt is replaced. */
  edit: runId.optional(),
  /** The run to repeat; true for the newest. */
  regenerate: z.union([z.literal(true), runId]).optional(),
  branch_uuid: sessionId.optional(),
}

/** A body with a prompt. */
export const promptBody = z.object({ user_prompt: prompt })

const runFields = z.object({
  message_id: messageId,
  when_busy: z.enum(['reject', 'queue', 'steer', 'interrupt']).default('reject'),
  agent_uuid: sessionId.optional(),
  agent_type: z.string().max(256).optional(),
  format: z.string().max(64).optional(),
  stream_meta_history_and_tool_results: z
    .union([z.boolean(), z.literal('all')], 'must be true, false or "all"')
    .default(false),
  tool_input: z.enum(['buffered', 'live']).default('buffered'),
})

/** The body of `POST /agent/run`. */
export const runBody = z
  .object({ ...runFields.shape, ...replacement, user_prompt: prompt.optional() })
  .superRefine((body, { addIssue }) => {
    const wrong = findContradiction(body)
    if (wrong !== undefined) addIssue({ code: 'custom', path: [wrong[0]], message: wrong[1] })
  })

const result = z.object({
  ...callId,
  content,
  is_error: z.boolean().optional(),
})

/** The body of `POST /agent/tool_results`. */
export const resultsBody = z.object({
  message_id: messageId,
  agent_uuid: callOwner,
  tool_results: z.array(result).min(1),
})

const decision = z.object({
  ...callId,
  decision: z.enum(['approve', 'refuse']),
  input: z
    .custom<JsonObject>(isJsonObject, 'must be an object: the arguments to run with')
    .optional(),
  reason: z.string().max(4096).optional(),
  input_hash: z
    .string()
    .regex(
      /^[\da-f]{64}$/,
      'must be 64 lower-case hex digits: the SHA-256 of the canonical arguments',
    )
    .optional(),
})

/** The body of `POST /agent/tool_approvals`. */
export const approvalsBody = z.object({
  message_id: messageId,
  agent_uuid: callOwner,
  approvals: z.array(decision).min(1),
})

/** The body of `POST /agent/tool_claims`. */
export const claimBody = z.object({
  agent_uuid: callOwner,
  ...callId,
  client_id: z
    .string()
    .regex(/^[\x21-\x7e]{1,128}$/, 'must be 1 to 128 visible ASCII characters, without spaces'),
})

const title = z
  .string()
  .trim()
  .min(1, 'must not be empty or blank')
  .max(120, 'must have at most 120 characters')
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}\p{Cs}]*$/u, 'must be one line without control characters')

/** The agent of a run; all if absent. */
const agentOfRun = agentId.optional()

/** The body of `POST /agent/{uuid}/stop`. */
export const stopBody = z.object({ message_id: messageId, agent: agentOfRun })

/** The body of `POST /agent/{uuid}/fork`. */
export const forkBody = z.strictObject({
  message_id: messageId,
  after: z.int().min(0).optional(),
  branch_uuid: sessionId.optional(),
  title: title.optional(),
})

/** The body of `POST /agent/{uuid}/steer`. */
export const steerBody = z.object({
  message_id: messageId,
  user_prompt: prompt,
  agent: agentOfRun,
})

/** Maximum number of events in one request of a producer. */
const MAX_EVENTS = 1_000

/** The body of `POST /agent/{uuid}/events`; a request without `epoch` opens the run. */
export const produceBody = z
  .strictObject({
    epoch: z.int().min(1).optional(),
    seq: z.int().min(0).optional(),
    events: z
      .array(z.json(), 'must be a list of events')
      .max(
        MAX_EVENTS,
        `must have at most ${MAX_EVENTS} events; send the others in the next request`,
      )
      .default([]),
    steers: z.int().min(0).optional(),
  })
  .refine(({ epoch, seq }) => (epoch === undefined) === (seq === undefined), {
    path: ['seq'],
    message: 'must be given with `epoch`, as the number of the first event',
  })
  .refine(({ epoch, events }) => epoch !== undefined || events.length === 0, {
    path: ['events'],
    message: 'need the `epoch` that a request without events returns',
  })

/** A validated body of `POST /agent/{uuid}/events`. */
export type ProduceBody = z.infer<typeof produceBody>

/** The body of `PATCH /agent/{uuid}`. */
export const renameBody = z.object({ message_id: messageId, title })

/** Longest and default validity of a share link, in seconds. */
const MAX_SHARE_SECONDS = 366 * 86_400
const SHARE_SECONDS = 30 * 86_400

/** The body of `POST /agent/{uuid}/share`. */
export const shareBody = z.strictObject({
  expires_in: z.int().min(1).max(MAX_SHARE_SECONDS).default(SHARE_SECONDS),
})

const jsonOnly = z
  .never('is only supported by `POST /agent/run`; upload the files with `POST /agent/upload` first')
  .optional()

/** The form of `POST /agent/run/multipart`. */
export const runForm = z.object({
  ...runFields.omit({ stream_meta_history_and_tool_results: true }).shape,
  user_prompt: z.string().default(''),
  stream_meta_history_and_tool_results: z
    .enum(['true', 'false', 'all'])
    .default('false')
    .transform((text) => (text === 'all' ? text : text === 'true')),
  files: z.array(z.file()).default([]),
  ...Object.fromEntries(Object.keys(replacement).map((name) => [name, jsonOnly])),
})

/** The form of `POST /agent/upload`. */
export const uploadForm = z.object({
  message_id: messageId,
  agent_uuid: sessionId.optional(),
  files: z.array(z.file(), 'must be at least one file').min(1),
  urls: z
    .never(
      'are not supported, because a server that fetches URLs could be sent anywhere; send the files instead',
    )
    .optional(),
})

/** A validated body of `POST /agent/tool_approvals`. */
export type ApprovalsBody = z.infer<typeof approvalsBody>

/** A validated body of `POST /agent/{uuid}/stop`. */
export type StopBody = z.infer<typeof stopBody>

/** A validated body of `POST /agent/{uuid}/steer`. */
export type SteerBody = z.infer<typeof steerBody>

/** A validated body of `PATCH /agent/{uuid}`. */
export type RenameBody = z.infer<typeof renameBody>

/** A validated body of `POST /agent/{uuid}/fork`. */
export type ForkBody = z.infer<typeof forkBody>

/** A validated form of `POST /agent/run/multipart`. */
export type RunForm = z.infer<typeof runForm>

/** A validated form of `POST /agent/upload`. */
export type UploadForm = z.infer<typeof uploadForm>

/** A validated body of `POST /agent/run`. */
export type RunBody = z.infer<typeof runBody>

/** A validated body of `POST /agent/tool_results`. */
export type ResultsBody = z.infer<typeof resultsBody>

/** Finds a field of a run request that contradicts others, with the reason. */
function findContradiction({
  agent_uuid: session,
  edit,
  regenerate,
  branch_uuid: branch,
  user_prompt,
}: {
  readonly agent_uuid?: string | undefined
  readonly edit?: string | undefined
  readonly regenerate?: true | string | undefined
  readonly branch_uuid?: string | undefined
  readonly user_prompt?: unknown
}): readonly [field: string, reason: string] | undefined {
  if (edit !== undefined && regenerate !== undefined)
    return ['edit', 'requires a new prompt and `regenerate` the old one; send only one of them']
  if (regenerate !== undefined && user_prompt !== undefined)
    return ['user_prompt', 'is taken from the repeated run; leave it out, or use `edit`']
  const isReplacing = edit !== undefined || regenerate !== undefined
  if (isReplacing && session === undefined)
    return ['agent_uuid', 'must name the session whose run is replaced']
  if (branch !== undefined && !isReplacing)
    return [
      'branch_uuid',
      'is only for `edit` and `regenerate`; use `agent_uuid` for a new session',
    ]
  if (regenerate === undefined && user_prompt === undefined)
    return ['user_prompt', 'is missing; send text, or an array of blocks']
  return undefined
}

function shapeOf(properties: Readonly<Record<string, object>>) {
  return { type: 'object' as const, properties, required: Object.keys(properties) }
}

function isSentBlock(value: unknown): boolean {
  return isJsonObject(value) && sentBlocks.get(value['type'])?.(value) === true
}

/** Whether a prompt has visible content. Models reject blank messages, and a failed run would close pending calls. */
function saysSomething(sent: string | readonly ContentBlock[]): boolean {
  const blocks = typeof sent === 'string' ? [{ type: 'text', text: sent }] : sent
  return blocks.some(({ type, text }) => type !== 'text' || /\S/.test(String(text)))
}
