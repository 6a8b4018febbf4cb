import { agUiDialect, readAgUiOptions } from '../../protocols/index.ts'
import { runInput } from '../ag-ui/run-input.ts'
import { openThread } from '../ag-ui/thread.ts'
import { planThread } from '../ag-ui/thread-plans.ts'
import { deriveSession } from '../requests/derived-session.ts'
import { agUiQuery } from '../requests/request-queries.ts'
import { defineRoute } from './route.ts'
import { streamErrors, streamRun } from './stream-run.ts'

/**
 * Asks an agent, answers its calls, or shows where a thread stands, for unmodified clients of AG-UI. Of the messages
 * only what is newest is read: all that stands before it is the client's copy of what the server knows.
 */
export const agUiRoute = defineRoute({
  method: 'POST',
  path: '/ag-ui',
  summary: 'Takes the `RunAgentInput` of AG-UI; the stream is the run that is asked or goes on.',
  query: agUiQuery,
  headers: {
    'Last-Event-ID':
      'The id of the last event that was read: the run is resumed, and nothing asked.',
  },
  body: { type: 'application/json', schema: runInput, holdsFiles: true },
  answer: {
    description: 'Events of AG-UI 1.0; `x-millrace-session` is the session of the thread.',
    content: 'stream',
    empty: 'A client has come back after the last event.',
  },
  errors: [
    ...streamErrors,
    'conflict',
    'not_found',
    'cursor_malformed',
    'cursor_ahead',
    'cursor_trimmed',
  ],
  handle: async (context, { request, body: input, query }) => {
    const { agent_type: agentType, tool_input: toolInput } = query
    const principal = await context.principal(request)
    const session = await deriveSession('ag-ui', principal, input.threadId)
    const thread = openThread({ context, request, session, input })
    const manner = { toolInput, ...(agentType !== undefined && { agentType }) }
    const { start, isRun, ...saying } = await planThread(thread, manner)
    const { threadId, runId, parentRunId } = input
    const dialect = agUiDialect({
      ...readAgUiOptions(new URL(request.url).searchParams),
      ...saying,
      threadId,
      runId,
      ...(typeof parentRunId === 'string' && { parentRunId }),
    })
    const response = isRun
      ? await streamRun(context, request, session, start, dialect)
      : await context.readers.respond(request, start, { principal, dialect })
    response.headers.set('x-millrace-session', session)
    return response
  },
})
