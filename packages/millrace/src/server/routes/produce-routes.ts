import type { ProducerRequest } from '../../agent/port/index.ts'
import { checkAccess } from '../access/check-access.ts'
import { createCommandsFormat } from '../protocols/commands-format.ts'
import { checkCursor, readCursor } from '../requests/cursor.ts'
import { requestSchemas, sessionParameter } from '../requests/decode-body.ts'
import type { ProduceBody } from '../requests/request-bodies.ts'
import { endOf, findUsedSession } from '../sessions/load-session.ts'
import { answerSchemas, commandErrors, defineRoute } from './route.ts'
import { streamErrors } from './run-routes.ts'

/** Opens a run for a producer, or appends its events. [PROD-1] [PROD-2] */
export const produceRoute = defineRoute({
  method: 'POST',
  path: '/agent/{uuid}/events',
  summary: 'Opens the run of a session for a producer, or appends its events, each once.',
  parameters: { uuid: sessionParameter },
  body: {
    type: 'application/json',
    schema: async () => (await requestSchemas()).produceBody,
  },
  answer: {
    description: 'The epoch of the producer and the number of its next event.',
    content: async () => (await answerSchemas()).produceAnswer,
  },
  errors: [...commandErrors, 'conflict', 'lease_lost'],
  handle: async (context, { request, path: { uuid: session = '' }, body }) => {
    await checkAccess(context, request, 'produce', session)
    return Response.json(await context.runs.produce(session, toRequest(body), request.signal))
  },
})

function toRequest({ epoch, seq = 0, events, steers }: ProduceBody): ProducerRequest {
  if (epoch === undefined) return { type: 'open', id: crypto.randomUUID() }
  return { type: 'append', epoch, seq, events, ...(steers !== undefined && { steers }) }
}

/** Streams the commands to a session: stop, messages, answers and decisions, across its runs. [PROD-5] */
export const commandsRoute = defineRoute({
  method: 'GET',
  path: '/agent/{uuid}/commands',
  summary: 'Streams the commands to the runs of a session, for their producer.',
  parameters: { uuid: sessionParameter },
  query: async () => (await requestSchemas()).commandsQuery,
  headers: {
    'Last-Event-ID': 'The id of the last command that was read; takes precedence over `cursor`.',
  },
  answer: {
    description: 'An event stream of commands, which stays open across runs; see PROTOCOL.md.',
    content: 'stream',
  },
  errors: [...streamErrors, 'not_found', 'cursor_malformed', 'cursor_ahead', 'cursor_trimmed'],
  handle: async (context, { request, path: { uuid: session = '' }, query }) => {
    const { store, runs, readers } = context
    const { quotaKey } = await checkAccess(context, request, 'produce', session)
    const cursor = readCursor(request, query.cursor)
    const open = async () => {
      await runs.recoverIfLapsed(session)
      const found = await findUsedSession(store, session, cursor)
      checkCursor(cursor, found.info)
      const { log } = found.info
      return { session, ...cursor, log, ...endOf(found), completion: readers.endless }
    }
    return readers.respond(request, open, { quotaKey, format: createCommandsFormat() })
  },
})
