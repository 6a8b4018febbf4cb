import { hashInput, type JsonObject, type JsonValue } from '../../json/index.ts'
import { command } from '../transport/http/ask.ts'
import { checkResponse } from '../transport/http/loss.ts'
import type { Session } from '../session.ts'

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
export function readOn(session: Session, isMore = false): void {
  const { connection } = session.getSnapshot()
  const read = session.watch()
  const readMore = (): unknown =>
    (isMore || session.getSnapshot().transcript.pending.length > 0) && session.watch()
  if (connection.state !== 'idle') read.then(readMore).catch(() => {})
}
