import { ask, command, repeat } from '../transport/http/ask.ts'
import { readOn } from './control-run.ts'
import { checkRefusal } from '../transport/http/loss.ts'
import { createSessionId } from '../session-id.ts'
import type { Session } from '../session.ts'

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
