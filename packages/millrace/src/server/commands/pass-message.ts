import { restorePrompt } from '../files/prompt-files.ts'
import type { RunServices } from '../runs/run-services.ts'
import type { Run } from '../runs/run.ts'
import { readStopReason } from '../runs/stored-run.ts'
import { decodeDelivery } from '../webhooks/post-event.ts'
import { decodeCommand, type PromptCommand, type StoredCommand } from './run-command.ts'

/** A message to a run, as stored in an inbox. */
export interface StoredMessage extends StoredCommand {
  readonly command: PromptCommand
}

/** Whether a stored command is a message to a run. */
function isMessage(stored: StoredCommand): stored is StoredMessage {
  const { command } = stored
  return command.type === 'prompt' && command.whenBusy === 'steer'
}

/**
 * Passes a message to a run, once; false if its agent is ending, stopped or not active. With `isKept` it also reaches
 * an agent that starts later in the run.
 */
export async function passMessage(
  services: RunServices,
  run: Run,
  { key, stored, isKept = false }: { key: string; stored: StoredMessage; isKept?: boolean },
): Promise<boolean> {
  const { session, inbox } = run
  if (inbox.has(key)) return true
  const { command, digest } = stored
  const messageId = digest === undefined ? undefined : command.messageId
  // Added before the first await, so that no other caller passes it too.
  inbox.add(key, stored, messageId)
  const prompt = await restorePrompt({ ...services, session }, command.prompt)
  inbox.add(key, { ...stored, command: { ...command, prompt } }, messageId)
  return run.offer({ type: 'steer', prompt, agent: command.agent, isKept }).verdict === 'taken'
}

/** Whether the run of a message was stopped since. The message must then not reach another run. */
export async function isStopped(
  { store }: RunServices,
  session: string,
  { run }: StoredMessage,
): Promise<boolean> {
  return (await readStopReason({ store, session }, run)) === 'aborted'
}

/**
 * Passes pending messages for the root agent to a run before it continues, because it may end before they are found.
 * Other pending commands follow once the run is active.
 */
export async function passPendingMessages(services: RunServices, run: Run): Promise<void> {
  const { session, log, number } = run
  try {
    for (const waiting of await services.store.pending(session, log)) {
      if (decodeDelivery(waiting) !== undefined) continue
      const { key } = waiting
      const stored = decodeCommand(waiting)
      if (!isMessage(stored) || stored.command.agent !== undefined) continue
      if (stored.run !== number && (await isStopped(services, session, stored))) continue
      await passMessage(services, run, { key, stored })
    }
  } catch (error) {
    services.onError(error, { session })
  }
}
