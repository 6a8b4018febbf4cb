import { hashInput, type JsonObject, type JsonValue } from '../../json/index.ts'
import { command, ask, repeat } from '../transport/http/ask.ts'
import { checkResponse, checkRefusal } from '../transport/http/check-response.ts'
import type { Session } from '../session.ts'
import { createSessionId } from '../session-id.ts'

/** A user's decision on a call that waits for approval. */
export interface CallDecision {
  readonly callId: string
  readonly decision: 'approve' | 'refuse'
  /** Arguments to run with in place of the model's. */
  readonly input?: JsonObject
  /** The reason of a denial, for the model. */
  readonly reason?: string
  /** The displayed arguments, a JSON value. Their hash is sent, and the server rejects the decision if the call has other arguments. */
  readonly shown?: unknown
}

/**
 * Decides on calls that wait for approval; the session reads the resumed run. The first decision on a call counts: an equal one changes
 * nothing, a different one fails with `conflict` in `details.code`. A decision on other arguments than `shown` fails too
 * (`details.reason` is `input_changed`), as does a late approval (`expired`).
 */
export async function decideCalls(
  session: Session,
  decisions: readonly CallDecision[],
): Promise<void> {
  const approvals = decisions.map(({ callId, shown, ...rest }) => ({
    tool_use_id: callId,
    ...rest,
    ...(shown !== undefined && { input_hash: hashInput(shown as JsonValue) }),
  }))
  await postAnswers(session, 'tool_approvals', { approvals })
}

/**
 * Answers a pending frontend call at once: `session.answer` would first read an active stream to its end, although a sub-agent may wait
 * while others run. The snapshot shows the answer unless the server rejects it.
 */
export async function answerCall(
  session: Session,
  callId: string,
  content: string,
  { isError = false }: { readonly isError?: boolean } = {},
): Promise<void> {
  const { connection, answers } = session.getSnapshot()
  if (connection.state !== 'streaming' && connection.state !== 'connecting') {
    return session.answer(callId, content, { isError })
  }
  // The first answer counts.
  session.note({ [callId]: { content, isError }, ...answers })
  const result = { tool_use_id: callId, content, is_error: isError }
  try {
    await postAnswers(session, 'tool_results', { tool_results: [result] })
  } catch (error) {
    const { [callId]: _, ...others } = session.getSnapshot().answers
    if (!answers[callId]) session.note(others)
    throw error
  }
}

/** Stops the run, or one of its agents; finished content stays. False if there was none to stop. */
export async function stopRun(session: Session, agent?: string): Promise<boolean> {
  const response = await command(session, `${session.id}/stop`, { agent })
  if (!response.ok) await checkResponse(response)
  const { stopped } = (await response.json()) as { readonly stopped: boolean }
  // A paused run is closed in a stream of its own.
  if (stopped) readOn(session)
  return stopped
}

/**
 * Sends a message to the active run, or to one of its agents. False if no run is active: use `session.run` then. The session reads on
 * after the end of the run: a message that was too late for it starts the next one.
 */
export async function steerRun(session: Session, prompt: string, agent?: string): Promise<boolean> {
  const response = await command(session, `${session.id}/steer`, { user_prompt: prompt, agent })
  if (response.status === 409) return false
  if (!response.ok) await checkResponse(response)
  readOn(session, true)
  return true
}

async function postAnswers(session: Session, path: string, answers: object): Promise<void> {
  const response = await command(session, path, answers)
  // The session has changed since the page read it.
  if (response.status === 409) readOn(session)
  await checkResponse(response)
  void response.body?.cancel()
  readOn(session)
}

/** Reads the frames that follow. An active stream may end with the pause or before the prompt: then more frames follow it. */
function readOn(session: Session, isMore = false): void {
  const { connection } = session.getSnapshot()
  const read = session.watch()
  const readMore = (): unknown =>
    (isMore || session.getSnapshot().transcript.pending.length > 0) && session.watch()
  if (connection.state !== 'idle') read.then(readMore).catch(() => {})
}

/** Options of {@link queuePrompt}. */
export interface PromptOptions {
  /** `queue`: it starts after the run. `steer`: the run gets it. `interrupt`: the run is stopped. `reject`: it is rejected. */
  readonly whenBusy?: 'queue' | 'steer' | 'interrupt' | 'reject'
}

/** A prompt that the server has stored. */
export interface StoredPrompt {
  /** The key of its run, or of its message to the run. */
  readonly messageId: string
  /** Its state; the last four only for a prompt that was sent before. */
  readonly state: 'running' | 'queued' | 'paused' | 'ended' | 'withdrawn' | 'void'
}

/**
 * Sends a prompt without waiting for an active run; resolves when the server has stored it. The session reads the frames that follow, and
 * `transcript.queue` shows the prompt while it is queued.
 */
export async function queuePrompt(
  session: Session,
  prompt: string,
  { whenBusy = 'queue' }: PromptOptions = {},
): Promise<StoredPrompt> {
  const messageId = createSessionId()
  const body = { ...session.options.runFields, user_prompt: prompt, when_busy: whenBusy }
  const keyed = { ...body, message_id: messageId }
  const response = await command(session, 'run', keyed, { prefer: 'respond-async' })
  await checkRefusal(response)
  const { state } = (await response.json()) as StoredPrompt
  readOn(session, true)
  return { messageId, state }
}

/** Removes a prompt from the queue; false if it is too late, or there is none. */
export async function withdrawPrompt(session: Session, messageId: string): Promise<boolean> {
  const path = `${session.id}/queue/${encodeURIComponent(messageId)}`
  // The server sends the same response for a prompt that was withdrawn before.
  const response = await repeat(session, () => ask(session, path, undefined, { method: 'DELETE' }))
  if (response.status !== 404 && response.status !== 409) await checkRefusal(response)
  return response.ok
}

/** A session of a server: one that was created here, or an id with the options of its server. */
export type SessionPlace = Pick<Session, 'id' | 'options'>

/** Deletes a session with its log, history and files; an active run is stopped first. False if there is none. */
export async function deleteSession(session: SessionPlace): Promise<boolean> {
  const { headers } = await repeat(session, () => ask(session, session.id))
  const log = headers.get('millrace-log')
  let isRepeat = false
  const remove = (failures: number): Promise<Response> => {
    isRepeat = failures > 0
    const path = log ? `${session.id}?log=${log}` : session.id
    return ask(session, path, undefined, { method: 'DELETE' })
  }
  // Without its log, a repeated request could delete a session that was created again under the same id.
  const response = await (log ? repeat(session, remove) : remove(0))
  if (response.status !== 404 && response.status !== 410) await checkRefusal(response)
  // A request with a lost response may have removed it.
  return response.ok || isRepeat
}

/** Changes the title of a session, to at most 120 characters on one line; resolves with the stored title. */
export async function renameSession(session: SessionPlace, title: string): Promise<string> {
  const response = await command(session, session.id, { title }, { method: 'PATCH' })
  await checkRefusal(response)
  return ((await response.json()) as { readonly title: string }).title
}
