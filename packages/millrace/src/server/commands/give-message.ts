import { restorePrompt } from '../files/prompt-files.ts'
import { mapStoreErrors } from '../map-store-errors.ts'
import type { Run } from '../runs/run.ts'
import type { RunServices } from '../runs/run-services.ts'
import { readStopReason } from '../runs/stored-run.ts'
import type { PromptCommand, StoredCommand } from './run-command.ts'

/** A message to a run, as an inbox has it. */
export interface StoredMessage extends StoredCommand {
  readonly command: PromptCommand
}

/** Whether a stored command is a message to a run. */
export function isMessage(stored: StoredCommand): stored is StoredMessage {
  const { command } = stored
  return command.type === 'prompt' && command.whenBusy === 'steer'
}

/**
 * Gives a message to a run, once; false if its agent is ending, stopped or not at work. One that `isKept` also reaches an agent that
 * enters the run later.
 */
export async function giveMessage(
  services: RunServices,
  run: Run,
  { key, stored, isKept = false }: { key: string; stored: StoredMessage; isKept?: boolean },
): Promise<boolean> {
  const { session, inbox } = run
  if (inbox.has(key)) return true
  const { command, digest } = stored
  const messageId = digest === undefined ? undefined : command.messageId
  // Noted before anything is awaited, so that nobody else gives it as well.
  inbox.add(key, stored, messageId)
  const prompt = await restorePrompt({ ...services, session }, command.prompt)
  inbox.add(key, { ...stored, command: { ...command, prompt } }, messageId)
  return run.offer({ type: 'steer', prompt, agent: command.agent, isKept }).verdict === 'taken'
}

/** Whether the run that a message was sent to has been stopped since: the message must not reach another one. */
export async function isStopped(
  { store }: RunServices,
  session: string,
  { run }: StoredMessage,
): Promise<boolean> {
  return (await mapStoreErrors(readStopReason({ store, session }, run))) === 'aborted'
}
