import { toCaller } from '../access/caller.ts'
import {
  removeSession,
  renameSession,
  steerSession,
  stopSession,
  withdrawPrompt,
} from '../actions/control-session.ts'
import { requestSchemas, sessionParameter, type LazyParameter } from '../requests/decode-body.ts'
import { keyHeader } from '../requests/message-key.ts'
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
    const stopped = await stopSession(context, toCaller(context, request), session, body)
    return Response.json({ stopped })
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
    await steerSession(context, toCaller(context, request), session, body)
    return Response.json({ steered: true })
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
    await withdrawPrompt(context, toCaller(context, request), session, id)
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
    await renameSession(context, toCaller(context, request), session, body)
    return Response.json({ agent_uuid: session, title: body.title })
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
    await removeSession(context, toCaller(context, request), session)
    return Response.json({ deleted: true })
  },
})
