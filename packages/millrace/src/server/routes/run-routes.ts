import type { ErrorCode } from '../../errors/index.ts'
import type { ContentBlock, Prompt } from '../../events/index.ts'
import type { LogFormat } from '../../protocols/port/index.ts'
import { forkBeforeRun } from '../commands/fork.ts'
import type { PromptRequest } from '../commands/prompt-request.ts'
import type { MessageKey } from '../commands/receipts.ts'
import { checkFiles } from '../files/check-files.ts'
import { toFileBlock } from '../files/stored-blocks.ts'
import { resolveUploads } from '../files/uploads.ts'
import { keyHeader, readSessionKey } from '../requests/message-key.ts'
import type { RunBody, RunForm } from '../requests/request-bodies.ts'
import type { LogRange } from '../runs/run-services.ts'
import { checkAccess } from '../access/check-access.ts'
import type { ServerContext } from '../server-context.ts'
import { findBranch, nameBranch, toForkContext } from './branch-routes.ts'
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
    const { store, limits } = context
    await checkAsked(context, request, body)
    const { agent_uuid: session, user_prompt, edit, regenerate } = body
    const given =
      user_prompt &&
      (await resolveUploads(user_prompt, { store, session, maxBytes: limits.maxUploadBytes }))
    if (edit === undefined && regenerate === undefined)
      return respond(context, request, body, given ?? '', await readPromptKey(request, body, given))
    return respondInBranch(context, request, body, given)
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
    await checkAsked(context, request, body)
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
    return respond(context, request, body, prompt, await readPromptKey(request, body, prompt))
  },
})

async function checkAsked(
  context: ServerContext,
  request: Request,
  { format, agent_uuid: session }: RunBody | RunForm,
): Promise<void> {
  // Checked before anything is stored.
  await context.protocols.chooseFormat(request, format)
  await checkAccess(context, request, 'run', session)
}

async function respond(
  context: ServerContext,
  request: Request,
  body: RunBody | RunForm,
  prompt: Prompt,
  key: MessageKey | undefined,
): Promise<Response> {
  const session = body.agent_uuid ?? context.createId()
  const { owner, context: sender } = await context.identify(request)
  const promptRequest = {
    ...toPromptRequest(body, session, prompt),
    owner,
    ...(sender !== undefined && { context: sender }),
    ...(key && { key }),
  }
  const ask = () => context.runs.ask(promptRequest)
  if (prefersAsync(request)) return acceptRun(context, request, session, { ask, key })
  const format = await context.protocols.chooseFormat(request, body.format)
  return streamRun(context, request, session, ask, format)
}

/** Reads the key of a prompt, which is valid within its session. [CMD-2] */
function readPromptKey(
  request: Request,
  { when_busy: _, format: _format, ...body }: RunBody | RunForm,
  prompt: Prompt | undefined,
): Promise<MessageKey | undefined> {
  return readSessionKey(request, { ...body, files: undefined, user_prompt: prompt, type: 'run' })
}

/** Replaces a run in a branch that ends before it. [BRANCH-5] */
async function respondInBranch(
  context: ServerContext,
  request: Request,
  body: RunBody,
  given: Prompt | undefined,
): Promise<Response> {
  const { agent_uuid: session = '', edit, regenerate } = body
  const { owner } = await checkAccess(context, request, 'fork', session)
  const to = await nameBranch(context, request, session, body)
  const inBranch = { ...body, agent_uuid: to }
  const key = await readPromptKey(request, inBranch, given)
  // A repeated request reads the run that it has started, even if the parent has changed.
  if (key !== undefined && (await isAsked(context, session, to, key)))
    return respond(context, request, inBranch, given ?? '', key)
  const runId = edit ?? (regenerate === true ? undefined : regenerate)
  // A branch in which no run may start is not created.
  await context.runs.checkOwner(owner)
  const replacement = { session, runId, prompt: given, to, owner }
  const prompt = await forkBeforeRun(toForkContext(context), replacement)
  return respond(context, request, inBranch, prompt, key)
}

async function isAsked(
  context: ServerContext,
  session: string,
  to: string,
  { key }: MessageKey,
): Promise<boolean> {
  const branch = await findBranch(context, session, to)
  return branch !== undefined && (await context.store.command(to, key)) !== undefined
}

function toPromptRequest(body: RunBody | RunForm, session: string, prompt: Prompt): PromptRequest {
  return {
    session,
    prompt,
    whenBusy: body.when_busy,
    history: body.stream_meta_history_and_tool_results,
    toolInput: body.tool_input,
    ...(body.agent_type === undefined ? {} : { agentType: body.agent_type }),
  }
}

/** Responds with the stream of a run that is started or resumed. */
export async function streamRun(
  context: ServerContext,
  request: Request,
  session: string,
  start: () => Promise<LogRange>,
  format: LogFormat | undefined,
): Promise<Response> {
  const { quotaKey } = await context.identify(request)
  const open = () => startRun(context, quotaKey, session, start)
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
  session: string,
  { ask, key }: { readonly ask: () => Promise<LogRange>; readonly key: MessageKey | undefined },
): Promise<Response> {
  const { quotaKey } = await context.identify(request)
  const { queued, state: known = 'running' } = await startRun(context, quotaKey, session, ask)
  const messageId = queued?.messageId ?? key?.messageId ?? null
  const state = queued === undefined ? known : 'queued'
  return Response.json({ agent_uuid: session, message_id: messageId, state }, { status: 202 })
}

/** Starts a run, which counts for its user until it is over. An active run is already counted. */
async function startRun(
  { runs, runQuota }: ServerContext,
  quotaKey: string | undefined,
  session: string,
  start: () => Promise<LogRange>,
): Promise<LogRange> {
  const active = runs.active(session)
  if (active !== undefined && !active.isEnding()) return start()
  // A run that follows an ending one may need the quota that the first one holds.
  await active?.over
  const release = runQuota.acquire(quotaKey)
  try {
    const range = await start()
    const run = runs.active(session)
    if (run === undefined) release()
    else void run.over.then(release)
    return range
  } catch (error) {
    release()
    throw error
  }
}
