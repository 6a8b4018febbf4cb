import { MillraceError } from '../../errors/index.ts'
import { findSession } from '../sessions/find-session.ts'
import { resolveUploads } from '../files/uploads.ts'
import { checkAccess } from '../server-context.ts'
import { namedLog } from '../requests/cursor.ts'
import { keyHeader, readMessageKey } from '../requests/message-key.ts'
import { messageParameter, sessionParameter } from '../requests/path-parameters.ts'
import { renameBody, steerBody, stopBody } from '../requests/request-bodies.ts'
import { maskAgent } from '../views/hidden-calls.ts'
import { deleteAnswer, renameAnswer, steerAnswer, stopAnswer, withdrawAnswer } from './answers.ts'
import { defineRoute } from './route.ts'

/** Ends the run, or one agent of it; what it has finished stays. */
export const stopRoute = defineRoute({
  method: 'POST',
  path: '/agent/{uuid}/stop',
  summary: 'Stops the run of a session, or one agent of it.',
  parameters: { uuid: sessionParameter },
  body: { type: 'application/json', schema: stopBody, isOptional: true },
  answer: { description: 'Whether there was something to stop.', content: stopAnswer },
  headers: keyHeader,
  errors: [
    ...(['bad_request', 'not_found', 'lease_lost', 'conflict'] as const),
    ...(['log_replaced', 'overloaded', 'store_unavailable'] as const),
  ],
  handle: async (context, { request, path: { uuid: session = '' }, body }) => {
    await checkAccess(context, request, 'stop', session)
    const agent = maskAgent(body.agent, await context.viewOf(request, session))
    const key = await readMessageKey(request, { ...body, type: 'stop' })
    return Response.json({ stopped: await context.runs.stop(session, agent, key) })
  },
})

/** Sends a message to the run under way, or to one of its agents. */
export const steerRoute = defineRoute({
  method: 'POST',
  path: '/agent/{uuid}/steer',
  summary: 'Tells a run under way, or one agent of it, something new.',
  parameters: { uuid: sessionParameter },
  body: { type: 'application/json', schema: steerBody },
  answer: { description: 'It was told.', content: steerAnswer },
  headers: keyHeader,
  errors: [
    ...(['bad_request', 'not_found', 'conflict', 'payload_too_large'] as const),
    ...(['log_replaced', 'overloaded', 'store_unavailable'] as const),
  ],
  handle: async (context, { request, path: { uuid: session = '' }, body }) => {
    const { store, runs, limits } = context
    await checkAccess(context, request, 'steer', session)
    await findSession(store, session)
    const maxBytes = limits.maxUploadBytes
    const prompt = await resolveUploads(body.user_prompt, { store, session, maxBytes })
    const agent = maskAgent(body.agent, await context.viewOf(request, session))
    const key = await readMessageKey(request, { ...body, type: 'steer' })
    if (await runs.steer(session, prompt, agent, key)) return Response.json({ steered: true })
    throw new MillraceError(
      'conflict',
      'Nothing is running there that could be told; send this as a new prompt with POST /agent/run.',
    )
  },
})

/** Takes a prompt out of the queue before it begins. */
export const withdrawRoute = defineRoute({
  method: 'DELETE',
  path: '/agent/{uuid}/queue/{message_id}',
  summary: 'Takes a prompt out of the queue of a session before it begins.',
  parameters: { uuid: sessionParameter, message_id: messageParameter },
  answer: { description: 'It will not begin.', content: withdrawAnswer },
  errors: [
    ...(['bad_request', 'not_found', 'conflict'] as const),
    ...(['log_replaced', 'overloaded', 'store_unavailable'] as const),
  ],
  handle: async (context, { request, path: { uuid: session = '', message_id: id = '' } }) => {
    await checkAccess(context, request, 'run', session)
    await context.runs.withdraw(session, id)
    return Response.json({ withdrawn: true })
  },
})

/** Gives a session another title. */
export const renameRoute = defineRoute({
  method: 'PATCH',
  path: '/agent/{uuid}',
  summary: 'Gives a session another title.',
  parameters: { uuid: sessionParameter },
  body: { type: 'application/json', schema: renameBody },
  answer: { description: 'The title as it is stored.', content: renameAnswer },
  errors: [
    ...(['bad_request', 'not_found', 'lease_lost'] as const),
    ...(['log_replaced', 'overloaded', 'store_unavailable'] as const),
  ],
  handle: async (context, { request, path: { uuid: session = '' }, body: { title } }) => {
    await checkAccess(context, request, 'rename', session)
    await context.runs.rename(session, title)
    return Response.json({ agent_uuid: session, title })
  },
})

/** Removes a session with its log, its history and its files. */
export const deleteRoute = defineRoute({
  method: 'DELETE',
  path: '/agent/{uuid}',
  summary: 'Removes a session with all that belongs to it; a run under way stops first.',
  parameters: { uuid: sessionParameter },
  answer: { description: 'It is removed.', content: deleteAnswer },
  errors: [
    ...(['bad_request', 'not_found', 'lease_lost'] as const),
    ...(['log_replaced', 'overloaded', 'store_unavailable'] as const),
  ],
  handle: async (context, { request, path: { uuid: session = '' } }) => {
    await checkAccess(context, request, 'delete', session)
    await context.runs.remove(session, namedLog(request))
    return Response.json({ deleted: true })
  },
})
