import { z } from 'zod'
import { isJsonObject, type JsonObject, type JsonValue } from 'millrace'

const object = z.custom<JsonObject>(isJsonObject, 'must be an object')
const json = z.custom<JsonValue>((value) => value !== undefined, 'must be JSON')

/** A subset of an envelope; `agent_name` is the name of its agent, `text_so_far` a part of all text so far. */
const moment = object

const tool = z.strictObject({
  returns: json.optional(),
  throws: z.string().optional(),
  delay_ms: z.number().optional(),
  /** Runs until it is stopped. */
  hangs: z.boolean().optional(),
  /** Returns only once this many calls run concurrently. */
  meets: z.number().optional(),
  /** Returns only once a client has read this envelope. */
  answers_when: moment.optional(),
  progress: z.array(z.string()).optional(),
  timeout_ms: z.number().optional(),
  needs_approval: z.boolean().optional(),
  input_schema: object.optional(),
})

const modelReply = z.strictObject({
  content: z.array(object).default([]),
  stop_reason: z.string().nullish(),
  stop_details: object.optional(),
  usage: object.optional(),
  error: object.optional(),
  /** The connection fails after the content. */
  cut: z.boolean().optional(),
  /** Nothing follows the content until the request is aborted. */
  stalls: z.boolean().optional(),
  /** The silence between the content and its end. */
  waits_ms: z.number().optional(),
  /** The response has this status and `error`. */
  status: z.number().optional(),
})

const agentFields = {
  system: z.string().optional(),
  tools: z.record(z.string(), tool).default({}),
  frontend_tools: z.array(z.string()).default([]),
  server_tools: z.array(object).default([]),
  max_steps: z.number().optional(),
  max_parallel_tool_calls: z.number().optional(),
  model: z.array(modelReply).optional(),
  get subagents() {
    return z.record(z.string(), agent).default({})
  },
}

const agent = z.strictObject(agentFields)
const prompt = z.union([z.string(), z.array(object)])

/** The actions of a request, of which it has exactly one. */
const actions = {
  prompt: prompt.optional(),
  tool_results: z.array(object).optional(),
  approvals: z.array(object).optional(),
  claim: object.optional(),
  stop: z.literal(true).optional(),
  steer: prompt.optional(),
  /** Reads the stream: the whole log, the frames after the last one read, or those after an id. */
  read: z.union([z.enum(['all', 'rest']), z.int().min(0)]).optional(),
  /** Closes the server, which hands off its runs. */
  close: z.literal(true).optional(),
  /** Kills the server: it stores and sends nothing any more. */
  kill: z.literal(true).optional(),
  remove: z.literal(true).optional(),
}

/** The target of a request, and the number of its copies. */
const requestFields = {
  ...actions,
  /** The name of the agent whose id the request contains. */
  agent: z.string().optional(),
  /** The key of the request. [CMD-2] */
  message_id: z.string().optional(),
  /** The effect of a prompt while a run is active. [CMD-4] */
  when_busy: z.enum(['reject', 'queue', 'steer', 'interrupt']).optional(),
  /** The log that the request names: 1 is the first log of the session. */
  log: z.int().min(1).optional(),
  /** The place of the log in the request. */
  log_in: z.enum(['header', 'query', 'cursor']).default('header'),
  /** The server of the store, from 1. */
  server: z.int().min(1).max(4).default(1),
  /** Number of concurrent copies of the request. */
  times: z.int().min(1).max(32).default(1),
}

const request = z
  .strictObject(requestFields)
  .refine((one) => countOf(one) === 1, `must have one of: ${Object.keys(actions).join(', ')}`)

const step = z
  .strictObject({
    ...requestFields,
    /** Requests that are all sent before any response. */
    at_once: z.array(request).optional(),
    /** Sends it once this envelope was read, not after the end of earlier streams. */
    when: moment.optional(),
  })
  .refine(
    (one) => countOf(one) === (one.at_once === undefined ? 1 : 0),
    `must have one of: at_once, ${Object.keys(actions).join(', ')}`,
  )

const flow = z
  .strictObject({
    ...agentFields,
    prompt: prompt.optional(),
    agent_uuid: z.string().optional(),
    flag: z.boolean().default(false),
    max_line_bytes: z.number().optional(),
    client: z.array(step).optional(),
    resume: z.union([step, z.array(step)]).optional(),
    then_prompt: prompt.optional(),
    abort_after_text: z.string().optional(),
    abort_when: moment.optional(),
    abort_agent: z.string().optional(),
    steer: prompt.optional(),
    steer_when: moment.optional(),
    steer_agent: z.string().optional(),
    disconnect_after_messages: z.number().optional(),
    reconnect_after_ms: z.number().default(0),
    storage_load: z.literal('throws').optional(),
  })
  .refine(
    ({ client, prompt: first, resume, then_prompt: last, ...rest }) =>
      client === undefined ||
      [first, resume, last, rest.steer, rest.abort_after_text, rest.abort_when].every(
        (field) => field === undefined,
      ),
    '`client` takes the place of prompt, resume, then_prompt, steer and abort_…',
  )

function countOf(one: Readonly<Record<string, unknown>>): number {
  return Object.keys(actions).filter((name) => one[name] !== undefined).length
}

/** A tool of a flow. */
export type FlowTool = z.infer<typeof tool>

/** A scripted reply of a model. */
export type FlowReply = z.infer<typeof modelReply>

/** An agent of a flow. */
export type FlowAgent = z.infer<typeof agent>

/** A prompt of a flow. */
export type FlowPrompt = z.infer<typeof prompt>

/** A request of a flow's client. */
export type FlowRequest = z.infer<typeof request>

/** One entry of `client` or `resume`: a request, or several at once. */
export type FlowStep = z.infer<typeof step>

/** The input of a flow. */
export type FlowInput = z.infer<typeof flow>

/** Decodes the input of a case; throws for unknown fields, so that none is ignored. */
export function decodeFlow(input: JsonObject): FlowInput {
  const { success, data, error } = flow.safeParse(input)
  if (success) return data
  const faults = error.issues.map(({ path, message }) => `${path.join('.') || 'input'}: ${message}`)
  throw new Error(`an input that this runner does not support:  ${faults.join('; ')}`)
}
