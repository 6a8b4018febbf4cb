import { z } from 'zod'
import { isJsonObject, type JsonObject, type JsonValue } from 'millrace'

const object = z.custom<JsonObject>(isJsonObject, 'must be an object')
const frames = z.array(z.object({ data: z.string(), id: z.number().nullish() }))

const response = z.object({
  status: z.number(),
  log: z.string().nullish(),
  /** The frames of a stream as received, including `[DONE]`. */
  frames: frames.optional(),
  /** The body of a response that is not a stream. */
  body: object.optional(),
})

const pendingCall = z.object({
  tool_use_id: z.string(),
  agent: z.string(),
  name: z.string(),
  input: z.custom<JsonValue>((value) => value !== undefined, 'must be JSON'),
})

const request = z.object({
  /** The names from the root to the agent of the request; empty for the root. */
  path: z.array(z.string()),
  body: object,
  /** The error of the API; absent if it accepted the request. */
  refused: z.string().optional(),
})

/** The schema of a flow's output. */
export const flowOutputSchema = z.object({
  session: z.string(),
  /** The response to each request, in the order of the case. */
  responses: z.array(response),
  /** The view of a client that reads the whole log. */
  shown: object,
  requests: z.array(request),
  /** The executed tool calls, in order of their start. */
  tool_runs: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      agent: z.string(),
      input: z.custom<JsonValue>((value) => value !== undefined, 'must be JSON'),
    }),
  ),
  max_concurrent: z.number(),
  /** The pending calls at the end, as the server reports them. */
  pending: z.array(pendingCall),
  pending_approvals: z.array(pendingCall),
  conversation: z.array(object),
  /** Whether the store is unchanged, in a case whose store fails. */
  stored_untouched: z.boolean().nullish(),
  /** The request to the model after another prompt. */
  next: request.nullish(),
  /** The whole log as a client read it, with its ids. */
  frames,
  /** Faults that no case may expect. */
  faults: z.array(z.string()),
})

/** The observations of a flow. */
export type FlowOutput = z.infer<typeof flowOutputSchema>

/** A message of a request, with its content as blocks. */
export interface SentMessage {
  readonly role: string
  readonly content: readonly JsonObject[]
}

/** Returns the messages of a request, or of a stored conversation. */
export function toMessages(value: JsonValue | undefined): SentMessage[] {
  return objectsOf(value).map(({ role, content }) => ({
    role: String(role),
    content: typeof content === 'string' ? [{ type: 'text', text: content }] : objectsOf(content),
  }))
}

/** Returns the tool results in requests to models, the latest of each call. */
export function sentResults(requests: FlowOutput['requests']): ReadonlyMap<string, JsonObject> {
  const blocks = requests
    .flatMap(({ body }) => toMessages(body['messages']))
    .flatMap(({ content }) => content)
    .filter(({ type }) => type === 'tool_result')
  return new Map(blocks.map((block) => [String(block['tool_use_id']), block]))
}

/** Returns the text of a result. */
export function resultText({ content }: JsonObject): string {
  if (typeof content === 'string') return content
  return objectsOf(content)
    .map(({ text = '' }) => String(text))
    .join('\n')
}

/** Returns the objects in a list. */
export function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}
