import type { ErrorCode } from '../../errors/index.ts'
import type { ContentBlock } from '../../events/index.ts'
import type { LogFormat } from '../../protocols/port/index.ts'
import { toCaller } from '../access/caller.ts'
import { type PreparedRun, preparePrompt, prepareRun, startCounted } from '../actions/run-agent.ts'
import { checkFiles } from '../files/check-files.ts'
import { toFileBlock } from '../files/stored-blocks.ts'
import { keyHeader } from '../requests/message-key.ts'
import type { ServerContext } from '../server-context.ts'
import { decodeWith, requestSchemas } from '../requests/decode-body.ts'
import { answerSchemas, defineRoute, type RouteAnswer } from './route.ts'

/** The response of routes with a stream. */
export const streamAnswer: RouteAnswer = {
  description: 'An event stream of frames, which ends with `[DONE]`; see PROTOCOL.md.',
  content: 'stream',
}

/** The errors of routes with a stream. */
export const streamErrors: readonly ErrorCode[] = [
  'bad_request',
  'unsupported',
  'too_many_requests',
  'overloaded',
  'log_replaced',
  'log_truncated',
  'store_unavailable',
]

const runHeaders = {
  ...keyHeader,
  Prefer: '`respond-async`: responds with 202 once the prompt is stored, without its stream.',
}

/** Runs an agent, in a new or an existing session; the stream is that run. */
export const runRoute = defineRoute({
  method: 'POST',
  path: '/agent/run',
  summary: 'Runs an agent; the stream is the run from its first frame to its end or pause.',
  body: { type: 'application/json', schema: async () => (await requestSchemas()).runBody },
  headers: runHeaders,
  answer: { ...streamAnswer, accepted: async () => (await answerSchemas()).acceptedAnswer },
  errors: [...streamErrors, 'conflict', 'not_found', 'cursor_trimmed'],
  handle: async (context, { request, body }) => {
    // Checked before anything is stored.
    const format = await context.protocols.chooseFormat(request, body.format)
    const prepared = await prepareRun(context, toCaller(context, request), body)
    return respond(context, request, prepared, format)
  },
})

/** Runs an agent with files, which precede the text of the prompt. */
export const runFormRoute = defineRoute({
  method: 'POST',
  path: '/agent/run/multipart',
  summary: 'Runs an agent with files: images, PDF and text, checked by their content.',
  body: { type: 'multipart/form-data', schema: async () => (await requestSchemas()).runForm },
  headers: runHeaders,
  answer: { ...streamAnswer, accepted: async () => (await answerSchemas()).acceptedAnswer },
  errors: [...streamErrors, 'conflict', 'not_found'],
  handle: async (context, { request, body }) => {
    const format = await context.protocols.chooseFormat(request, body.format)
    const caller = toCaller(context, request)
    await caller.check('run', body.agent_uuid)
    const files = await checkFiles(body.files, context.limits)
    const text = body.user_prompt
    const blocks: ContentBlock[] = files.map(toFileBlock)
    if (/\S/.test(text)) blocks.push({ type: 'text', text })
    const { user_prompt: prompt } = await decodeWith(
      async () => (await requestSchemas()).promptBody,
      {
        user_prompt: blocks,
      },
    )
    const prepared = await preparePrompt(context, caller, body, prompt)
    return respond(context, request, prepared, format)
  },
})

function respond(
  context: ServerContext,
  request: Request,
  prepared: PreparedRun,
  format: LogFormat | undefined,
): Promise<Response> {
  if (prefersAsync(request)) return acceptRun(context, request, prepared)
  return streamRun(context, request, prepared, format)
}

/** Responds with the stream of a run that is started or resumed. */
export async function streamRun(
  context: ServerContext,
  request: Request,
  prepared: Pick<PreparedRun, 'session' | 'start'>,
  format: LogFormat | undefined,
): Promise<Response> {
  const { quotaKey } = await context.identify(request)
  const open = () => startCounted(context, quotaKey, prepared)
  return context.readers.respond(request, open, { quotaKey, format })
}

/** Whether a client prefers not to wait for the outcome. */
function prefersAsync({ headers }: Request): boolean {
  return /(^|[\s,;])respond-async($|[\s,;])/i.test(headers.get('prefer') ?? '')
}

/** Starts a run, and responds with the state of its prompt once that is stored. [CMD-4] */
async function acceptRun(
  context: ServerContext,
  request: Request,
  prepared: PreparedRun,
): Promise<Response> {
  const { session, key } = prepared
  const { quotaKey } = await context.identify(request)
  const { queued, state: known = 'running' } = await startCounted(context, quotaKey, prepared)
  const messageId = queued?.messageId ?? key?.messageId ?? null
  const state = queued === undefined ? known : 'queued'
  return Response.json({ agent_uuid: session, message_id: messageId, state }, { status: 202 })
}
