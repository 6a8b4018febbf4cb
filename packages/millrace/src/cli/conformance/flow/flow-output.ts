import { z } from 'zod'
import type { Envelope } from '../../../envelope/index.ts'
import { isJsonObject, type JsonObject } from '../../../json/index.ts'

const object = z.custom<JsonObject>(isJsonObject, 'must be an object')
const envelope = z.custom<Envelope>(
  (value) => isJsonObject(value) && typeof value['type'] === 'string',
  'must be a message',
)

const stream = z.object({
  status: z.number(),
  messages: z.array(envelope),
  /** Whether it ended with `[DONE]`. */
  done: z.boolean(),
  /** What the server said instead of a stream. */
  error: object.optional(),
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
  streams: z.array(stream),
  /** What a client that read along, or reads it all later, shows. */
  shown: object,
  requests: z.array(request),
  /** The calls of tools that were run, in the order in which they began. */
  tool_runs: z.array(z.object({ id: z.string(), name: z.string() })),
  max_concurrent: z.number(),
  /** The ids of the calls that wait in the end. */
  pending: z.array(z.string()),
  pending_approvals: z.array(z.string()),
  /** The conversation as it is stored. */
  conversation: z.array(object),
  /** Whether the store holds what it held, of a case whose store fails. */
  stored_untouched: z.boolean().nullish(),
  /** What the model is asked when a person writes again after all this. */
  next: request.nullish(),
  /** The whole log as a client read it, with its ids. */
  frames: z.array(z.object({ data: z.string(), id: z.number().nullish() })),
  /** What went wrong that no case may expect. */
  faults: z.array(z.string()),
})

/** All that an implementation tells of a flow. */
export type FlowOutput = z.infer<typeof flowOutputSchema>
