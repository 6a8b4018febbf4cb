import { z } from 'zod'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../json/index.ts'

const object = z.custom<JsonObject>(isJsonObject, 'must be an object')
const json = z.custom<JsonValue>((value) => value !== undefined, 'must be JSON')

const tool = z.strictObject({
  returns: json.optional(),
  throws: z.string().optional(),
  delay_ms: z.number().optional(),
  /** Does not answer until it is stopped. */
  hangs: z.boolean().optional(),
  /** Answers only when so many calls are at work at once. */
  meets: z.number().optional(),
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
  /** An `error` event after the content. */
  error: object.optional(),
  /** The connection breaks after the content. */
  cut: z.boolean().optional(),
  /** Nothing comes after the content until someone gives up. */
  stalls: z.boolean().optional(),
  /** How long it is silent between the content and its end. */
  waits_ms: z.number().optional(),
  /** The request is answered with this status and `error`. */
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

/** What is done after the first prompt, one after the other. */
const step = z.strictObject({
  tool_results: z.array(object).optional(),
  approvals: z.array(object).optional(),
  prompt: prompt.optional(),
  stop: z.boolean().optional(),
})

/** A subset of the message at which something is done; `agent_name` tells of which agent. */
const moment = object

const flow = z.strictObject({
  ...agentFields,
  prompt: prompt.default('go'),
  agent_uuid: z.string().optional(),
  flag: z.boolean().default(false),
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

/** What a tool of a case does. */
export type FlowTool = z.infer<typeof tool>

/** What a scripted model says to one request. */
export type FlowReply = z.infer<typeof modelReply>

/** An agent of a case. */
export type FlowAgent = z.infer<typeof agent>

/** A prompt of a case. */
export type FlowPrompt = z.infer<typeof prompt>

/** One request that follows the first. */
export type FlowStep = z.infer<typeof step>

/** The input of a case of the kind `agent_flow`. */
export type FlowInput = z.infer<typeof flow>

/** Reads the input of a case; one with anything that this runner does not know is refused, not half obeyed. */
export function decodeFlow(input: JsonObject): FlowInput {
  const { success, data, error } = flow.safeParse(input)
  if (success) return data
  const faults = error.issues.map(({ path, message }) => `${path.join('.') || 'input'}: ${message}`)
  throw new Error(`an input that this runner cannot follow: ${faults.join('; ')}`)
}

/** The requests of a case after the first, in order. */
export function stepsOf({ resume = [], then_prompt: prompted }: FlowInput): readonly FlowStep[] {
  return [...[resume].flat(), ...(prompted === undefined ? [] : [{ prompt: prompted }])]
}
