import { MillraceError } from '../../../errors/index.ts'
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
import { createAiSdk, uiMessagesDialect } from '../index.ts'
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

/** Replays the run under way from its first event, as `useChat` resumes after a reload. */
const stream = definePlan({
  parameters,
  query: chatStreamQuery,
  reply: {
    ...uiStream,
    empty: 'No run of the chat is under way; with `replay=1`, nothing was asked yet.',
  },
  plan: ({ parameters: { id = '' }, query, search }): Plan => ({
    session: id,
    reply: toReply(search, { showsEnded: query.replay === '1', otherwise: 'no_content' }),
  }),
})

/** Reads the messages of the newest runs, for a page that is loaded again. */
const messages = definePlan({
  parameters,
  query: chatMessagesQuery,
  reply: { description: 'Those of the newest runs, the oldest first.', content: chatMessages },
  plan: ({ parameters: { id = '' }, query, search }): Plan => ({
    session: id,
    reply: {
      type: 'json',
      runs: query.limit,
      format: uiMessagesDialect(createAiSdk(search)),
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
    throw new MillraceError('bad_request', 'No message of the user is there; send one to ask it.')
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

/** A page that regenerates an answer sends the same message again; one that edits a message names it, and may return to earlier words. */
function toRepeatOf({ trigger, messageId }: ChatBody): NonNullable<UserMessage['repeatOf']> {
  if (trigger !== 'submit-message') return 'none'
  return typeof messageId === 'string' ? 'newest' : 'any'
}

/** Other parts, such as the page's own data, are not for the model. */
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
      `Call ${undecided} waits for an approval, and this message says neither yes nor no to it; send one with addToolApprovalResponse. An output is taken only of a tool of the page, once it may run.`,
    )
  }
  return new MillraceError(
    'conflict',
    isRunning
      ? 'The run of this chat is under way. Resume its stream, and answer when it has paused.'
      : 'No call that this message answers waits here: it was answered already, or the run is over. Send a message of the user to go on.',
  )
}
