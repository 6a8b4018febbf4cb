import { z } from 'zod'
import { isJsonObject, type JsonObject, type JsonValue } from 'millrace'

const object = z.custom<JsonObject>(isJsonObject, 'must be an object')
const frames = z.array(z.object({ data: z.string(), id: z.number().nullish() }))

const response = z.object({
  status: z.number(),
  /** The log that it names. */
  log: z.string().nullish(),
  /** The frames of a stream as they came, `[DONE]` included. */
  frames: frames.optional(),
  /** The body of an answer that is no stream. */
  body: object.optional(),
})

const pendingCall = z.object({
  tool_use_id: z.string(),
  agent: z.string(),
  name: z.string(),
  input: z.custom<JsonValue>((value) => value !== undefined, 'must be JSON'),
})

const request = z.object({
  /** The names from the root to the agent that asked; empty for the root. */
  path: z.array(z.string()),
  body: object,
  /** What the API said against it; absent if it took it. */
  refused: z.string().optional(),
})

/** The form of what an implementation tells of a flow. */
export const flowOutputSchema = z.object({
  session: z.string(),
  /** The answer to each request, in the order of the case. */
  responses: z.array(response),
  /** The view of a client that reads the whole log. */
  shown: object,
  requests: z.array(request),
  /** The calls of tools that were run, in the order in which they began. */
  tool_runs: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      /** The name of the agent that called. */
      agent: z.string(),
      input: z.custom<JsonValue>((value) => value !== undefined, 'must be JSON'),
    }),
  ),
  max_concurrent: z.number(),
  /** The calls that wait in the end, as the server tells them. */
  pending: z.array(pendingCall),
  pending_approvals: z.array(pendingCall),
  /** The conversation as it is stored. */
  conversation: z.array(object),
  /** Whether the store holds what it held, of a case whose store fails. */
  stored_untouched: z.boolean().nullish(),
  /** What the model is asked when a person writes again after all this. */
  next: request.nullish(),
  /** The whole log as a client read it, with its ids. */
  frames,
  /** What went wrong that no case may expect. */
  faults: z.array(z.string()),
})

/** What an implementation reports of a flow. */
export type FlowOutput = z.infer<typeof flowOutputSchema>
