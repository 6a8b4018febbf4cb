import type { ContentBlock, Prompt } from '../../events/index.ts'
import type { PromptRequest } from '../commands/prompt-request.ts'
import type { MessageKey } from '../commands/receipts.ts'
import { decodeBody } from '../requests/decode-body.ts'
import { toFileBlock } from '../files/file-blocks.ts'
import { checkFiles } from '../files/check-files.ts'
import { resolveUploads } from '../files/uploads.ts'
import { checkAccess } from '../access/check-access.ts'
import type { ServerContext } from '../server-context.ts'
import { mapStoreErrors } from '../map-store-errors.ts'
import { findBranch, nameBranch, toForkContext } from './branch-routes.ts'
import { keyHeader, readSessionKey } from '../requests/message-key.ts'
import {
  promptBody,
  type RunBody,
  runBody,
  type RunForm,
  runForm,
} from '../requests/request-bodies.ts'
import { forkBeforeRun } from '../commands/fork.ts'
import { defineRoute } from './route.ts'
import { acceptedAnswer } from './answers.ts'
import { acceptRun, prefersAsync, streamAnswer, streamErrors, streamRun } from './stream-run.ts'

const runHeaders = {
  ...keyHeader,
  Prefer: '`respond-async`: responds with 202 once the prompt is stored, without its stream.',
}

/** Runs an agent, in a new or an existing session; the stream is that run. */
export const runRoute = defineRoute({
  method: 'POST',
  path: '/agent/run',
  summary: 'Runs an agent; the stream is the run from its first frame to its end or pause.',
  body: { type: 'application/json', schema: runBody },
  headers: runHeaders,
  answer: { ...streamAnswer, accepted: acceptedAnswer },
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
  body: { type: 'multipart/form-data', schema: runForm },
  headers: runHeaders,
  answer: { ...streamAnswer, accepted: acceptedAnswer },
  errors: [...streamErrors, 'conflict', 'not_found'],
  handle: async (context, { request, body }) => {
    await checkAsked(context, request, body)
    const files = await checkFiles(body.files, context.limits)
    const text = body.user_prompt
    const blocks: ContentBlock[] = files.map(toFileBlock)
    if (/\S/.test(text)) blocks.push({ type: 'text', text })
    const { user_prompt: prompt } = decodeBody(promptBody, { user_prompt: blocks })
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
  return (
    branch !== undefined && (await mapStoreErrors(context.store.command(to, key))) !== undefined
  )
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
