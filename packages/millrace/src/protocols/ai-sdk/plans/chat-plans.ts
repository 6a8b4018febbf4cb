import { badRequest, MillraceError } from '../../../errors/index.ts'
import type { JsonObject } from '../../../json/index.ts'
import {
  definePlan,
  type IdleSession,
  type MessagePart,
  type Plan,
  type RoutePlan,
  type StreamReply,
  type UserMessage,
} from '../../port/index.ts'
import { createAiSdk, uiMessagesFormat } from '../index.ts'
import { toCallAnswers } from './chat-answers.ts'
import {
  type ChatBody,
  chatBody,
  chatId,
  chatMessages,
  chatMessagesQuery,
  chatQuery,
  chatStreamQuery,
  newestMessage,
} from './chat-body.ts'

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
