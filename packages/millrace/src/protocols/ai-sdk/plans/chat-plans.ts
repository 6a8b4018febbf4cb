import { z } from 'zod'
import { badRequest, MillraceError } from '../../../errors/index.ts'
import { isJsonArray, isJsonObject, type JsonObject } from '../../../json/index.ts'
import {
  type CallAnswer,
  type CallResult,
  definePlan,
  type IdleSession,
  type MessagePart,
  type Plan,
  type PlannedDecision,
  type RoutePlan,
  type StreamReply,
  type UserMessage,
} from '../../port/index.ts'
import { ANSWERED_OUTPUT, createAiSdk, uiMessagesFormat } from '../index.ts'

/** A message that a page has sent. */
interface SentMessage {
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
const chatId = z.string().min(1).max(256)

/** The body of `POST /ai-sdk/chat`; other fields belong to the page. */
const chatBody = z.object({
  id: chatId,
  messages: z.array(message, 'must be the messages of the chat').min(1),
  trigger: z.enum(['submit-message', 'regenerate-message']).default('submit-message'),
  messageId: z.string().max(256).nullish(),
  agent_type: z.string().max(256).optional(),
  tool_input: z.enum(['buffered', 'live']).default('buffered'),
})

/** A validated body of `POST /ai-sdk/chat`. */
type ChatBody = z.infer<typeof chatBody>

/** Options of the format, for every route. */
const chatFormat = z.object({
  subagents: z.enum(['data', 'inline', 'drop']).optional(),
  rollback: z.enum(['data', 'reset-step']).optional(),
})

/** The query of `POST /ai-sdk/chat`. */
const chatQuery = chatFormat.extend({ agent_type: z.string().max(256).optional() })

/** The query of `GET /ai-sdk/chat/{id}/stream`. */
const chatStreamQuery = chatFormat.extend({
  /** `1` replays the newest run even if it has ended or paused. */
  replay: z.enum(['0', '1']).optional(),
})

/** The query of `GET /ai-sdk/chat/{id}/messages`. */
const chatMessagesQuery = chatFormat.extend({
  limit: z
    .string()
    .transform((text) => (/^\d{1,3}$/.test(text) ? Number(text) : NaN))
    .refine((value) => value >= 1 && value <= 100, 'must be a whole number from 1 to 100')
    .meta({ type: 'integer', minimum: 1, maximum: 100 })
    .default(20),
})

/** The reply of `GET /ai-sdk/chat/{id}/messages`. */
const chatMessages = z.object({
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
function newestMessage(
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

const parameters = {
  id: { schema: chatId, meaning: 'the id of a chat, of 1 to 256 characters' },
}

const uiStream = {
  description:
    'A UI message stream, version 1, of the AI SDK; `x-millrace-session` is its session.',
  content: 'stream',
} as const

/** Sends the newest message of the user, or answers calls with the newest message of the assistant. */
const chat = definePlan({
  query: chatQuery,
  body: chatBody,
  reply: uiStream,
  errors: ['conflict'],
  plan: ({ body, query, search }): Plan => {
    const newest = newestMessage(body)
    const reply = toReply(search, { otherwise: toIdleError })
    const isAnswer = body.trigger === 'submit-message' && newest?.role === 'assistant'
    if (isAnswer) return { session: body.id, answers: toCallAnswers(newest), reply }
    return {
      session: body.id,
      message: toMessage({ agent_type: query.agent_type, ...body }),
      reply,
    }
  },
})

/** Replays the active run from its first event, as `useChat` resumes after a reload. */
const stream = definePlan({
  parameters,
  query: chatStreamQuery,
  reply: {
    ...uiStream,
    empty: 'The chat has no active run; with `replay=1`, it has no run at all.',
  },
  plan: ({ parameters: { id = '' }, query, search }): Plan => ({
    session: id,
    reply: toReply(search, { showsEnded: query.replay === '1', otherwise: 'no_content' }),
  }),
})

/** Reads the messages of the newest runs, for a page after a reload. */
const messages = definePlan({
  parameters,
  query: chatMessagesQuery,
  reply: {
    description: 'The messages of the newest runs, the oldest first.',
    content: chatMessages,
  },
  plan: ({ parameters: { id = '' }, query, search }): Plan => ({
    session: id,
    reply: {
      type: 'json',
      runs: query.limit,
      format: uiMessagesFormat(createAiSdk(search)),
      toBody: ({ frames, hasMore, isRunning }) =>
        `{"messages":[${frames.join(',')}],"has_more":${hasMore},"running":${isRunning}}`,
    },
  }),
})

/** The plans of the routes for `useChat`. */
export const plans: Readonly<Record<string, RoutePlan>> = { chat, stream, messages }

function toReply(
  search: URLSearchParams,
  rest: Pick<StreamReply, 'otherwise' | 'showsEnded'>,
): StreamReply {
  const format = createAiSdk(search)
  return { type: 'stream', extent: 'run', ...rest, format: () => format }
}

function toMessage(body: ChatBody): UserMessage {
  const newest = newestMessage(body, 'user')
  if (newest === undefined) {
    throw badRequest('The request has no message of the user. Send one.')
  }
  const { id, parts } = newest
  return {
    parts: parts.flatMap(toMessagePart),
    ...(id !== undefined && { id }),
    repeatOf: toRepeatOf(body),
    ...(body.agent_type !== undefined && { agentType: body.agent_type }),
    toolInput: body.tool_input,
  }
}

/**
 * Returns the messages that this one can repeat. A page that regenerates an answer sends the same message again. A page that edits a
 * message names it; the edited text may equal an older message.
 */
function toRepeatOf({ trigger, messageId }: ChatBody): NonNullable<UserMessage['repeatOf']> {
  if (trigger !== 'submit-message') return 'none'
  return typeof messageId === 'string' ? 'newest' : 'any'
}

/** Converts a part for the model. Other parts, such as the page's own data, are omitted. */
function toMessagePart({ type, text, url, mediaType, filename }: JsonObject): MessagePart[] {
  if (type === 'text') return typeof text === 'string' && text !== '' ? [{ type, text }] : []
  if (type !== 'file') return []
  return [
    {
      type,
      url: String(url),
      ...(typeof mediaType === 'string' && { mediaType }),
      ...(typeof filename === 'string' && { filename }),
    },
  ]
}

function toIdleError({ isRunning, undecided }: IdleSession): MillraceError {
  if (undecided !== undefined) {
    return new MillraceError(
      'conflict',
      `Call ${undecided} is pending: it needs an approval, and this message does not decide on it. Send the decision with addToolApprovalResponse. Only a tool of the page can have an output, after its approval.`,
    )
  }
  return new MillraceError(
    'conflict',
    isRunning
      ? 'A run of this chat is active. Resume its stream, and answer when it has paused.'
      : 'No call that this message answers is pending: it was answered already, or the run has ended. Send a message of the user to continue.',
  )
}

const MAX_REASON_CHARS = 4096

/** Output of a call that another page has answered, in a page that was loaded afterwards. */
const answeredOutput = JSON.stringify(ANSWERED_OUTPUT)

/**
 * Reads the answers in an assistant message. Only its last step can repeat accepted answers; parts of earlier steps are the page's copy of
 * the conversation.
 */
function toCallAnswers({ parts }: SentMessage): readonly CallAnswer[] {
  const lastStep = parts.findLastIndex(({ type }) => type === 'step-start') + 1
  const answers = new Map<string, CallAnswer>()
  for (const [index, part] of parts.entries()) {
    if (!isTool(part)) continue
    const callId = String(part['toolCallId'])
    const result = toResult(part)
    const decision = toDecision(part)
    answers.set(callId, {
      callId,
      ...(index < lastStep && { isCopy: true }),
      ...(result !== undefined && { result: () => result }),
      ...(decision !== undefined && { decision: () => decision }),
    })
  }
  return [...answers.values()]
}

function isTool({ type, toolCallId }: JsonObject): boolean {
  const isPart = type === 'dynamic-tool' || (typeof type === 'string' && type.startsWith('tool-'))
  return isPart && typeof toolCallId === 'string'
}

function toResult({ state, output, errorText }: JsonObject): CallResult | undefined {
  if (state === 'output-error') return { content: String(errorText ?? 'It failed.'), isError: true }
  if (state !== 'output-available') return undefined
  const content = typeof output === 'string' ? output : JSON.stringify(output ?? null)
  return content === answeredOutput ? undefined : { content, isError: false }
}

function toDecision({ state, approval, input }: JsonObject): PlannedDecision | undefined {
  if (state !== 'approval-responded' || !isJsonObject(approval)) return undefined
  const { approved, reason } = approval
  if (typeof approved !== 'boolean') return undefined
  return {
    isApproved: approved,
    ...(typeof reason === 'string' &&
      reason !== '' && { reason: reason.slice(0, MAX_REASON_CHARS) }),
    ...(input !== undefined && { shownInput: input }),
  }
}
