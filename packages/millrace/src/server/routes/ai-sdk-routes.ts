import type { PauseAnswers } from '../../agent/port/index.ts'
import { createAiSdk, uiMessagesDialect } from '../../protocols/index.ts'
import { MillraceError } from '../../errors/index.ts'
import type { PromptRequest } from '../commands/prompt-request.ts'
import {
  checkSaidBefore,
  findUndecided,
  takenBefore,
  toChatAnswers,
} from '../ai-sdk/chat-answers.ts'
import {
  callIdsIn,
  type ChatBody,
  chatBody,
  newestMessage,
  type SentMessage,
  withCallIds,
} from '../ai-sdk/chat-body.ts'
import { readChatMessages } from '../ai-sdk/chat-messages.ts'
import { toChatPrompt } from '../ai-sdk/chat-prompt.ts'
import {
  findCurrentSession,
  loadCurrentSession,
  readActiveRun,
  readAfterAnswer,
  readNewestRun,
  readSamePrompt,
} from '../sessions/current-session.ts'
import { sessionOfChat } from '../ai-sdk/session-of-chat.ts'
import { checkAccess, type ServerContext, ownerOf } from '../server-context.ts'
import { chatParameter } from '../requests/path-parameters.ts'
import { checkNamedLog } from '../requests/cursor.ts'
import { digestOf, toMessageId } from '../requests/message-key.ts'
import { chatMessagesQuery, chatQuery, chatStreamQuery } from '../requests/request-queries.ts'
import type { LogRange } from '../runs/run-services.ts'
import { checkAnswerCount } from '../requests/check-answer-count.ts'
import { isConflict } from '../requests/is-conflict.ts'
import { pendingIn } from '../sessions/record-writer.ts'
import { disguiseCalls } from '../views/hidden-calls.ts'
import { showsInput } from '../views/viewed-answers.ts'
import { chatAnswer } from './answers.ts'
import { defineRoute } from './route.ts'
import { streamErrors, streamRun } from './stream-run.ts'

const uiStream = {
  description:
    'A UI message stream, version 1, of the AI SDK; `x-millrace-session` is its session.',
  content: 'stream',
} as const

/**
 * Asks an agent, or answers its calls, from an unmodified `useChat`. Only the newest message is read: what a page
 * says of earlier ones is its copy of what the server knows.
 */
export const chatRoute = defineRoute({
  method: 'POST',
  path: '/ai-sdk/chat',
  summary:
    'Takes what `useChat` of the AI SDK sends; the stream is the run that is asked or goes on.',
  query: chatQuery,
  body: { type: 'application/json', schema: chatBody, holdsFiles: true },
  answer: uiStream,
  errors: [...streamErrors, 'conflict', 'not_found'],
  handle: async (context, { request, body, query }) => {
    const session = await sessionOfChat(body.id, await context.principal(request))
    const newest = newestMessage(body)
    const isAnswer = body.trigger === 'submit-message' && newest?.role === 'assistant'
    await checkAccess(context, request, isAnswer ? 'answer' : 'run', session)
    const start = isAnswer
      ? () => resume(context, request, session, newest)
      : await preparePrompt(context, request, session, { agent_type: query.agent_type, ...body })
    return respond(context, request, session, start)
  },
})

/**
 * The run of a chat that is under way, from its first message: what `useChat` resumes after a reload. With
 * `replay=1` also one that has ended or paused: it may have done so since the page has read its messages.
 */
export const chatStreamRoute = defineRoute({
  method: 'GET',
  path: '/ai-sdk/chat/{id}/stream',
  summary:
    'Replays the run of a chat that is under way, and goes on with it; with `replay=1`, also one that has ended or paused.',
  parameters: { id: chatParameter },
  query: chatStreamQuery,
  answer: {
    ...uiStream,
    empty: 'No run of the chat is under way; with `replay=1`, nothing was asked yet.',
  },
  errors: [...streamErrors, 'not_found'],
  handle: async (context, { request, path: { id: chat = '' }, query }) => {
    const principal = await context.principal(request)
    const session = await sessionOfChat(chat, principal)
    await checkAccess(context, request, 'read', session)
    const state = await findCurrentSession(context, session)
    checkNamedLog(request, session, state?.info)
    const isReplay = query.replay === '1'
    const active = state && (await readActiveRun(context, state))
    const range = active ?? (state && isReplay ? await readNewestRun(context, state) : undefined)
    if (range === undefined) return named(new Response(null, { status: 204 }), session)
    const dialect = createAiSdk(new URL(request.url).searchParams)
    const open = () => Promise.resolve(range)
    return named(await context.readers.respond(request, open, { principal, dialect }), session)
  },
})

/** The messages of a chat as a page holds them, made of the server's own log: what a reloaded page begins with. */
export const chatMessagesRoute = defineRoute({
  method: 'GET',
  path: '/ai-sdk/chat/{id}/messages',
  summary: 'Tells the messages of a chat, for a page that is loaded again; none for a new chat.',
  parameters: { id: chatParameter },
  query: chatMessagesQuery,
  answer: { description: 'Those of the newest runs, the oldest first.', content: chatAnswer },
  errors: [...streamErrors, 'not_found'],
  handle: async (context, { request, path: { id: chat = '' }, query }) => {
    const principal = await context.principal(request)
    const session = await sessionOfChat(chat, principal)
    await checkAccess(context, request, 'read', session)
    const state = await findCurrentSession(context, session)
    checkNamedLog(request, session, state?.info)
    const dialect = uiMessagesDialect(createAiSdk(new URL(request.url).searchParams))
    const options = { request, principal, limit: query.limit, dialect }
    const { messages, hasMore } =
      state === undefined
        ? { messages: [], hasMore: false }
        : await readChatMessages(context, state, options)
    // As stored together with the last of the messages.
    const isRunning = state?.head.status === 'running'
    const json = `{"messages":[${messages.join(',')}],"has_more":${hasMore},"running":${isRunning}}`
    return named(new Response(json, { headers: { 'content-type': 'application/json' } }), session)
  },
})

async function respond(
  context: ServerContext,
  request: Request,
  session: string,
  start: () => Promise<LogRange>,
): Promise<Response> {
  const dialect = createAiSdk(new URL(request.url).searchParams)
  return named(await streamRun(context, request, session, start, dialect), session)
}

/** A page that knows its session can stop it, steer it, and read it in any other way. */
function named(response: Response, session: string): Response {
  response.headers.set('x-millrace-session', session)
  return response
}

/** Asks what the newest message of a person says, unless it was asked already. */
async function preparePrompt(
  context: ServerContext,
  request: Request,
  session: string,
  body: ChatBody,
): Promise<() => Promise<LogRange>> {
  const { store, limits, runs } = context
  const message = newestMessage(body, 'user')
  if (message === undefined) throw nothingAsked()
  const { id } = message
  const prompt = await toChatPrompt(message, { store, session, limits })
  const digest = id === undefined ? undefined : await digestOf([id, prompt])
  const isRepeatable = body.trigger === 'submit-message'
  // A page that regenerates asks the same again; one that edits a message names it, and may come back to words it had before.
  const isEdit = typeof body.messageId === 'string'
  const reuse = isRepeatable && !isEdit ? ('after_failure' as const) : ('always' as const)
  const given = { ...toMessageId(id), reuse }
  const key = digest === undefined ? undefined : { key: `ai-sdk:${digest}`, digest, ...given }
  const question: PromptRequest = {
    session,
    prompt,
    owner: await ownerOf(context, request),
    history: false,
    toolInput: body.tool_input,
    ...(key !== undefined && { key }),
    ...(body.agent_type !== undefined && { agentType: body.agent_type }),
  }
  const findSame = async () =>
    isRepeatable ? readSamePrompt(context, session, key?.key) : undefined
  return async () => {
    const same = await findSame()
    if (same !== undefined) return same
    try {
      return await runs.ask(question)
    } catch (error) {
      // The same request, sent twice at once, was faster.
      const faster = isConflict(error) ? await findSame() : undefined
      if (faster === undefined) throw error
      return faster
    }
  }
}

/** Gives a run that waits what the message answers, and reads how it goes on. */
async function resume(
  context: ServerContext,
  request: Request,
  session: string,
  sent: SentMessage,
): Promise<LogRange> {
  const { idOf } = await disguiseCalls(context, request, session, callIdsIn(sent))
  const message = withCallIds(sent, idOf)
  const state = await loadCurrentSession(context, session)
  if (state === undefined) throw nothingWaits()
  const before = takenBefore(message, state.stored.answers)
  const judge = (answers: readonly PauseAnswers[]) => context.runs.judge(session, answers)
  if (state.run !== undefined && !state.run.isEnding()) {
    if (before === undefined) throw underWay()
    await checkSaidBefore(message, state.stored.answers, judge)
    return readAfterAnswer(context, state, before)
  }
  await state.run?.over
  const settled =
    state.run === undefined ? state : ((await loadCurrentSession(context, session)) ?? state)
  const { stored } = settled
  const pending = pendingIn(stored)
  const answers = toChatAnswers(message, pending, {
    by: (await context.principal(request)) ?? null,
    showsInput: showsInput(await context.viewOf(request, session)),
  })
  const { results = [], decisions = [] } = answers
  checkAnswerCount(results.length + decisions.length, context.limits.maxResults)
  if (results.length + decisions.length > 0) {
    await checkSaidBefore(message, pending.answered ?? [], judge)
    return context.runs.answer(session, answers)
  }
  const taken = takenBefore(message, stored.answers)
  if (taken === undefined) throw nothingWaits(findUndecided(message, pending))
  await checkSaidBefore(message, stored.answers, judge)
  return readAfterAnswer(context, settled, taken)
}

function nothingAsked(): MillraceError {
  return new MillraceError('bad_request', 'No message of the user is there; send one to ask it.')
}

function nothingWaits(undecided?: string): MillraceError {
  return new MillraceError(
    'conflict',
    undecided !== undefined
      ? `Call ${undecided} waits for an approval, and this message says neither yes nor no to it; send one with addToolApprovalResponse. An output is taken only of a tool of the page, once it may run.`
      : 'No call that this message answers waits here: it was answered already, or the run is over. Send a message of the user to go on.',
  )
}

function underWay(): MillraceError {
  return new MillraceError(
    'conflict',
    'The run of this chat is under way. Resume its stream, and answer when it has paused.',
  )
}
