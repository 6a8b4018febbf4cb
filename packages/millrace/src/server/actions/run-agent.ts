import type { Prompt } from '../../events/index.ts'
import type { Caller } from '../access/caller.ts'
import { forkBeforeRun } from '../commands/fork.ts'
import type { PromptRequest } from '../commands/prompt-request.ts'
import type { MessageKey } from '../commands/receipts.ts'
import { resolveUploads } from '../files/uploads.ts'
import { readSessionKey } from '../requests/message-key.ts'
import type { RunBody, RunForm } from '../requests/request-bodies.ts'
import type { LogRange } from '../runs/run-services.ts'
import type { ServerContext } from '../server-context.ts'
import { findBranch, nameBranch, toForkContext } from './fork-session.ts'

/** A command that starts or resumes a run: its access is checked, and nothing is stored yet. */
export interface PreparedRun {
  readonly session: string
  readonly key: MessageKey | undefined
  /** Stores the command; resolves with the range of its outcome. */
  readonly start: () => Promise<LogRange>
}

/** Prepares a prompt, in a new or an existing session, or in a branch that replaces a run. */
export async function prepareRun(
  context: ServerContext,
  caller: Caller,
  body: RunBody,
): Promise<PreparedRun> {
  const { store, limits } = context
  const { agent_uuid: session, user_prompt, edit, regenerate } = body
  await caller.check('run', session)
  const given =
    user_prompt &&
    (await resolveUploads(user_prompt, { store, session, maxBytes: limits.maxUploadBytes }))
  if (edit === undefined && regenerate === undefined)
    return preparePrompt(context, caller, body, given ?? '')
  return prepareInBranch(context, caller, body, given)
}

/** Prepares a prompt whose files are resolved, for a caller whose access is checked. */
export async function preparePrompt(
  context: ServerContext,
  caller: Caller,
  body: RunBody | RunForm,
  prompt: Prompt,
): Promise<PreparedRun> {
  return toPrepared(context, caller, body, prompt, await readPromptKey(caller, body, prompt))
}

async function toPrepared(
  context: ServerContext,
  caller: Caller,
  body: RunBody | RunForm,
  prompt: Prompt,
  key: MessageKey | undefined,
): Promise<PreparedRun> {
  const session = body.agent_uuid ?? context.createId()
  const { owner, context: sender } = await caller.identify()
  const request: PromptRequest = {
    session,
    prompt,
    whenBusy: body.when_busy,
    history: body.stream_meta_history_and_tool_results,
    toolInput: body.tool_input,
    owner,
    ...(body.agent_type !== undefined && { agentType: body.agent_type }),
    ...(sender !== undefined && { context: sender }),
    ...(key && { key }),
  }
  return { session, key, start: () => context.runs.ask(request) }
}

/** Reads the key of a prompt, which is valid within its session. [CMD-2] */
function readPromptKey(
  caller: Caller,
  { when_busy: _, format: _format, ...body }: RunBody | RunForm,
  prompt: Prompt | undefined,
): Promise<MessageKey | undefined> {
  return readSessionKey(caller, { ...body, files: undefined, user_prompt: prompt, type: 'run' })
}

/** Prepares the replacement of a run, in a branch that ends before it. [BRANCH-5] */
async function prepareInBranch(
  context: ServerContext,
  caller: Caller,
  body: RunBody,
  given: Prompt | undefined,
): Promise<PreparedRun> {
  const { agent_uuid: session = '', edit, regenerate } = body
  const { owner } = await caller.check('fork', session)
  const to = await nameBranch(context, caller, session, body)
  const inBranch = { ...body, agent_uuid: to }
  const key = await readPromptKey(caller, inBranch, given)
  // A repeated request reads the run that it has started, even if the parent has changed.
  if (key !== undefined && (await isAsked(context, session, to, key)))
    return toPrepared(context, caller, inBranch, given ?? '', key)
  const runId = edit ?? (regenerate === true ? undefined : regenerate)
  // A branch in which no run may start is not created.
  await context.runs.checkOwner(owner)
  const replacement = { session, runId, prompt: given, to, owner }
  const prompt = await forkBeforeRun(toForkContext(context), replacement)
  return toPrepared(context, caller, inBranch, prompt, key)
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

/** Starts a run, which counts for its user until it is over. An active run is already counted. */
export async function startCounted(
  { runs, runQuota }: ServerContext,
  quotaKey: string | undefined,
  { session, start }: Pick<PreparedRun, 'session' | 'start'>,
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
