import { hashInput, type JsonObject, type JsonValue } from '../../json/index.ts'
import { command } from '../transport/http/ask.ts'
import { checkResponse } from '../transport/http/loss.ts'
import type { Session } from '../session.ts'

/** What a person decides on a call that waits for their word. */
export interface CallDecision {
  readonly toolUseId: string
  readonly decision: 'approve' | 'refuse'
  /** Arguments to run with in place of the model's. */
  readonly input?: JsonObject
  /** Why it is refused, for the model to read. */
  readonly reason?: string
  /**
   * The arguments as they were displayed, a JSON value. Their hash is sent, and the server refuses the decision if the
   * call has others.
   */
  readonly shown?: unknown
}

/**
 * Decides on calls that wait for approval; the run that goes on is read by the session. The first decision on a
 * call counts: the same one again changes nothing, another one is refused with `conflict` in `details.code`. So is a
 * decision on other arguments than those `shown` (`details.reason` is `input_changed`), and an approval that comes too
 * late (`expired`).
 */
export async function decideCalls(
  session: Session,
  decisions: readonly CallDecision[],
): Promise<void> {
  const approvals = decisions.map(({ toolUseId, shown, ...rest }) => ({
    tool_use_id: toolUseId,
    ...rest,
    ...(shown !== undefined && { input_hash: hashInput(shown as JsonValue) }),
  }))
  await postAnswers(session, 'tool_approvals', { approvals })
}

/**
 * Answers a call that waits for the browser, at once: `session.answer` would first read a stream under way to its
 * end, though a sub-agent may wait while others go on. The snapshot tells of it, unless it was not taken.
 */
export async function answerCall(
  session: Session,
  toolUseId: string,
  content: string,
  { isError = false }: { readonly isError?: boolean } = {},
): Promise<void> {
  const { connection, answers } = session.getSnapshot()
  if (connection.state !== 'streaming' && connection.state !== 'connecting') {
    return session.answer(toolUseId, content, { isError })
  }
  // The first answer counts.
  session.note({ [toolUseId]: { content, isError }, ...answers })
  const result = { tool_use_id: toolUseId, content, is_error: isError }
  try {
    await postAnswers(session, 'tool_results', { tool_results: [result] })
  } catch (error) {
    const { [toolUseId]: _, ...others } = session.getSnapshot().answers
    if (!answers[toolUseId]) session.note(others)
    throw error
  }
}

/** Ends the run, or one agent of it; what is finished stays. False if none was there to be stopped. */
export async function stopRun(session: Session, agent?: string): Promise<boolean> {
  const response = await command(session, `${session.id}/stop`, { agent })
  if (!response.ok) await checkResponse(response)
  const { stopped } = (await response.json()) as { readonly stopped: boolean }
  // A run that had paused is closed in a stream of its own.
  if (stopped) readOn(session)
  return stopped
}

/**
 * Sends a message to the run under way, or to one of its agents. False if no run is under way: use `session.run` then. The session reads on
 * after the end of the run: a message that came too late for it begins the next one.
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

/** Reads what follows. A stream under way may be the one that ends with the pause, or before the prompt: then there is more after it. */
export function readOn(session: Session, isMore = false): void {
  const { connection } = session.getSnapshot()
  const read = session.watch()
  const readMore = (): unknown =>
    (isMore || session.getSnapshot().transcript.pending.length > 0) && session.watch()
  if (connection.state !== 'idle') read.then(readMore).catch(() => {})
}
