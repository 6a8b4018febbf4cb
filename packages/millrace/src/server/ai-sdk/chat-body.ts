import { z } from 'zod'
import { isJsonArray, isJsonObject, type JsonObject } from '../../json/index.ts'

/** A message as a page sends it. */
export interface SentMessage {
  readonly id: string | undefined
  readonly role: 'user' | 'assistant' | 'system'
  readonly parts: readonly JsonObject[]
}

const message = z
  .custom<JsonObject>(
    (value) => isJsonObject(value) && isJsonArray(value['parts']),
    'must be a UI message, with `role` and `parts`',
  )
  .meta({
    type: 'object',
    properties: {
      id: { type: 'string' },
      role: { enum: ['system', 'user', 'assistant'] },
      parts: { type: 'array', items: { type: 'object' } },
    },
    required: ['role', 'parts'],
  })

/** The id of a chat, whatever a page calls it. */
export const chatId = z.string().min(1).max(256)

/** The body of `POST /ai-sdk/chat`; fields that are not named here are the page's own. */
export const chatBody = z.object({
  id: chatId,
  messages: z.array(message, 'must be the messages of the chat').min(1),
  trigger: z.enum(['submit-message', 'regenerate-message']).default('submit-message'),
  messageId: z.string().max(256).nullish(),
  agent_type: z.string().max(256).optional(),
  tool_input: z.enum(['buffered', 'live']).default('buffered'),
})

/** A body of `POST /ai-sdk/chat` that was read. */
export type ChatBody = z.infer<typeof chatBody>

/** The newest message, or the newest of a role; all that stands before it is the page's copy of what the server knows. */
export function newestMessage(
  { messages }: ChatBody,
  role?: SentMessage['role'],
): SentMessage | undefined {
  const found = messages.findLast((one) => role === undefined || one['role'] === role)
  if (found === undefined) return undefined
  const { id, role: said, parts } = found
  return {
    id: typeof id === 'string' && id !== '' && id.length <= 256 ? id : undefined,
    role: said === 'user' || said === 'assistant' ? said : 'system',
    parts: isJsonArray(parts) ? parts.filter(isJsonObject) : [],
  }
}

/** The ids of calls that a message names. */
export function callIdsIn({ parts }: SentMessage): readonly string[] {
  return parts.flatMap(({ toolCallId }) => (typeof toolCallId === 'string' ? [toolCallId] : []))
}

/** A message with other ids of the calls in it. */
export function withCallIds(sent: SentMessage, idOf: (id: string) => string): SentMessage {
  const toPart = (part: JsonObject): JsonObject => {
    const { toolCallId } = part
    return typeof toolCallId === 'string' ? { ...part, toolCallId: idOf(toolCallId) } : part
  }
  return { ...sent, parts: sent.parts.map(toPart) }
}
