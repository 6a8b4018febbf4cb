import { z } from 'zod'
import { isJsonArray, isJsonObject, type JsonObject } from '../../../json/index.ts'

/** A message that a page has sent. */
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

/** The id of a chat, which a page chooses. */
export const chatId = z.string().min(1).max(256)

/** The body of `POST /ai-sdk/chat`; other fields belong to the page. */
export const chatBody = z.object({
  id: chatId,
  messages: z.array(message, 'must be the messages of the chat').min(1),
  trigger: z.enum(['submit-message', 'regenerate-message']).default('submit-message'),
  messageId: z.string().max(256).nullish(),
  agent_type: z.string().max(256).optional(),
  tool_input: z.enum(['buffered', 'live']).default('buffered'),
})

/** A validated body of `POST /ai-sdk/chat`. */
export type ChatBody = z.infer<typeof chatBody>

/** Options of the format, for every route. */
const chatFormat = z.object({
  subagents: z.enum(['data', 'inline', 'drop']).optional(),
  rollback: z.enum(['data', 'reset-step']).optional(),
})

/** The query of `POST /ai-sdk/chat`. */
export const chatQuery = chatFormat.extend({ agent_type: z.string().max(256).optional() })

/** The query of `GET /ai-sdk/chat/{id}/stream`. */
export const chatStreamQuery = chatFormat.extend({
  /** `1` replays the newest run even if it has ended or paused. */
  replay: z.enum(['0', '1']).optional(),
})

/** The query of `GET /ai-sdk/chat/{id}/messages`. */
export const chatMessagesQuery = chatFormat.extend({
  limit: z
    .string()
    .transform((text) => (/^\d{1,3}$/.test(text) ? Number(text) : NaN))
    .refine((value) => value >= 1 && value <= 100, 'must be a whole number from 1 to 100')
    .meta({ type: 'integer', minimum: 1, maximum: 100 })
    .default(20),
})

/** The reply of `GET /ai-sdk/chat/{id}/messages`. */
export const chatMessages = z.object({
  messages: z.array(
    z.object({
      id: z.string(),
      role: z.enum(['user', 'assistant']),
      metadata: z.looseObject({}).optional(),
      parts: z.array(z.looseObject({ type: z.string() })),
    }),
  ),
  has_more: z.boolean(),
  running: z.boolean(),
})

/** Finds the newest message, or the newest of a role. Earlier messages are the page's copy of the conversation. */
export function newestMessage(
  { messages }: ChatBody,
  role?: SentMessage['role'],
): SentMessage | undefined {
  const found = messages.findLast((one) => role === undefined || one['role'] === role)
  if (found === undefined) return undefined
  const { id, role: given, parts } = found
  return {
    id: typeof id === 'string' && id !== '' && id.length <= 256 ? id : undefined,
    role: given === 'user' || given === 'assistant' ? given : 'system',
    parts: isJsonArray(parts) ? parts.filter(isJsonObject) : [],
  }
}
