import { MillraceError } from '../../errors/index.ts'
import { findUsedSession } from '../sessions/load-session.ts'
import { resolveUploads } from '../files/uploads.ts'
import { checkAccess } from '../access/check-access.ts'
import { namedLog } from '../requests/cursor.ts'
import { keyHeader, readMessageKey } from '../requests/message-key.ts'
import { maskAgent } from '../views/viewed-answers.ts'
import { requestSchemas, sessionParameter, type LazyParameter } from '../requests/decode-body.ts'
import { answerSchemas, commandErrors, defineRoute } from './route.ts'

/** Stops the run, or one of its agents; finished work stays. */
export const stopRoute = defineRoute({
  method: 'POST',
  path: '/agent/{uuid}/stop',
  summary: 'Stops the run of a session, or one of its agents.',
  parameters: { uuid: sessionParameter },
  body: {
    type: 'application/json',
    schema: async () => (await requestSchemas()).stopBody,
    isOptional: true,
  },
  answer: {
    description: 'Whether there was something to stop.',
    content: async () => (await answerSchemas()).stopAnswer,
  },
  headers: keyHeader,
  errors: [...commandErrors, 'lease_lost', 'conflict'],
  handle: async (context, { request, path: { uuid: session = '' }, body }) => {
    await checkAccess(context, request, 'stop', session)
    const agent = maskAgent(body.agent, await context.viewOf(request, session))
    const key = await readMessageKey(request, { ...body, type: 'stop' })
    return Response.json({ stopped: await context.runs.stop(session, agent, key) })
  },
})

/** Sends a message to the active run, or to one of its agents. */
export const steerRoute = defineRoute({
  method: 'POST',
  path: '/agent/{uuid}/steer',
  summary: 'Sends a message to the active run, or to one of its agents.',
  parameters: { uuid: sessionParameter },
  body: { type: 'application/json', schema: async () => (await requestSchemas()).steerBody },
  answer: {
    description: 'The message was sent.',
    content: async () => (await answerSchemas()).steerAnswer,
  },
  headers: keyHeader,
  errors: [...commandErrors, 'conflict', 'payload_too_large'],
  handle: async (context, { request, path: { uuid: session = '' }, body }) => {
    const { store, runs, limits } = context
    const { context: sender } = await checkAccess(context, request, 'steer', session)
    await findUsedSession(store, session)
    const maxBytes = limits.maxUploadBytes
    const prompt = await resolveUploads(body.user_prompt, { store, session, maxBytes })
    const agent = maskAgent(body.agent, await context.viewOf(request, session))
    const key = await readMessageKey(request, { ...body, type: 'steer' })
    if (await runs.steer(session, prompt, { agent, key, context: sender }))
      return Response.json({ steered: true })
    throw new MillraceError(
      'conflict',
      'No active run or agent can receive this message; send it as a new prompt with POST /agent/run.',
    )
  },
})

const promptParameter: LazyParameter = {
  schema: async () => (await requestSchemas()).promptId,
  meaning: 'the key of a prompt, as in `queue` of GET /agent/{uuid}',
}

/** Withdraws a prompt from the queue before it starts. */
export const withdrawRoute = defineRoute({
  method: 'DELETE',
  path: '/agent/{uuid}/queue/{message_id}',
  summary: 'Withdraws a prompt from the queue of a session before it starts.',
  parameters: { uuid: sessionParameter, message_id: promptParameter },
  answer: {
    description: 'The prompt is withdrawn.',
    content: async () => (await answerSchemas()).withdrawAnswer,
  },
  errors: [...commandErrors, 'conflict'],
  handle: async (context, { request, path: { uuid: session = '', message_id: id = '' } }) => {
    await checkAccess(context, request, 'run', session)
    await context.runs.withdraw(session, id)
    return Response.json({ withdrawn: true })
  },
})

/** Renames a session. */
export const renameRoute = defineRoute({
  method: 'PATCH',
  path: '/agent/{uuid}',
  summary: 'Renames a session.',
  parameters: { uuid: sessionParameter },
  body: { type: 'application/json', schema: async () => (await requestSchemas()).renameBody },
  answer: {
    description: 'The title as it is stored.',
    content: async () => (await answerSchemas()).renameAnswer,
  },
  headers: keyHeader,
  errors: [...commandErrors, 'lease_lost', 'conflict'],
  handle: async (context, { request, path: { uuid: session = '' }, body }) => {
    const { title } = body
    await checkAccess(context, request, 'rename', session)
    const key = await readMessageKey(request, { ...body, type: 'rename' })
    await context.runs.rename(session, title, key)
    return Response.json({ agent_uuid: session, title })
  },
})

/** Removes a session with its log, its history and its files. */
export const deleteRoute = defineRoute({
  method: 'DELETE',
  path: '/agent/{uuid}',
  summary: 'Removes a session with all its data; an active run stops first.',
  parameters: { uuid: sessionParameter },
  answer: {
    description: 'The session is removed.',
    content: async () => (await answerSchemas()).deleteAnswer,
  },
  errors: [...commandErrors, 'lease_lost'],
  handle: async (context, { request, path: { uuid: session = '' } }) => {
    await checkAccess(context, request, 'delete', session)
    await context.runs.remove(session, namedLog(request))
    return Response.json({ deleted: true })
  },
})
