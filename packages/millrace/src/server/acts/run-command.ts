import type { PauseAnswers } from '../../agent/index.ts'
import { isMillraceError } from '../../errors/index.ts'
import type { Prompt } from '../../events/index.ts'

/** What one server asks of another that carries on a run, or of any to do so. */
export type RunCommand =
  | { readonly type: 'stop'; readonly agent?: string }
  | { readonly type: 'steer'; readonly agent?: string; readonly prompt: Prompt }
  | { readonly type: 'answer'; readonly answers: PauseAnswers }
  | { readonly type: 'carry_on' }

/** Who does what another server asks for: as for a client, so that a run that is just pausing takes it too. */
export interface CommandTaker {
  stop(session: string, agent?: string): Promise<unknown>
  steer(session: string, prompt: Prompt, agent?: string): Promise<unknown>
  answer(session: string, answers: PauseAnswers): Promise<unknown>
}

/** Writes a command down for the store to carry. */
export function encodeCommand(command: RunCommand): string {
  return JSON.stringify(command)
}

/** Asks whoever hears it first to carry on a run that is handed over. */
export const carryOnCommand: string = encodeCommand({ type: 'carry_on' })

/** Does what another server has asked for. */
export async function obeyCommand(
  taker: CommandTaker,
  session: string,
  text: string,
  onError: (error: unknown) => void,
): Promise<void> {
  try {
    const command = JSON.parse(text) as RunCommand
    if (command.type === 'stop') await taker.stop(session, command.agent)
    else if (command.type === 'steer') await taker.steer(session, command.prompt, command.agent)
    else if (command.type === 'answer') await taker.answer(session, command.answers)
  } catch (error) {
    // A call that has its answer by now is no fault of anybody's.
    if (!isMillraceError(error)) onError(error)
  }
}
