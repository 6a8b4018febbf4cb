import { ask, command } from '../transport/http/ask.ts'
import { readOn } from './control-run.ts'
import { checkRefusal } from '../transport/http/loss.ts'
import { createSessionId } from '../session-id.ts'
import type { Session } from '../session.ts'

/** What is done with a prompt while a run is under way. */
export interface PromptOptions {
  /** `queue`: it begins after the run. `steer`: the run is told it. `interrupt`: the run is stopped. `reject`: it is refused. */
  readonly whenBusy?: 'queue' | 'steer' | 'interrupt' | 'reject'
}

/** A prompt that the server has stored. */
export interface StoredPrompt {
  /** The key by which its run, or the message to the run, is known. */
  readonly messageId: string
  /** Whether it waits; the last four only of a prompt that was sent before. */
  readonly state: 'running' | 'queued' | 'paused' | 'ended' | 'withdrawn' | 'void'
}

/**
 * Asks beside the stream, also while a run is under way; resolves when the server has stored the prompt. The session reads what
 * follows, and `transcript.queue` shows the prompt while it waits.
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

/** Takes a prompt out of the queue; false if it is too late, or there is none. */
export async function withdrawPrompt(session: Session, messageId: string): Promise<boolean> {
  const path = `${session.id}/queue/${encodeURIComponent(messageId)}`
  const response = await ask(session, path, undefined, { method: 'DELETE' })
  if (response.status !== 404 && response.status !== 409) await checkRefusal(response)
  return response.ok
}
