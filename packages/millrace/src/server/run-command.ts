import type { PauseAnswers } from '../agent/index.ts'
import { isMillraceError } from '../errors/index.ts'
import type { Prompt } from '../events/index.ts'
import type { Run } from './run.ts'

/** What one server asks of another that carries on a run. */
export type RunCommand =
  | { readonly type: 'stop'; readonly agent?: string }
  | { readonly type: 'steer'; readonly agent?: string; readonly prompt: Prompt }
  | { readonly type: 'answer'; readonly answers: PauseAnswers }

/** Writes a command down for the store to carry. */
export function encodeCommand(command: RunCommand): string {
  return JSON.stringify(command)
}

/** Does what another server has asked for. */
export function obeyCommand(run: Run, text: string, onError: (error: unknown) => void): void {
  try {
    const command = JSON.parse(text) as RunCommand
    if (command.type === 'stop') run.control.stop(command.agent)
    else if (command.type === 'steer') run.control.steer(command.prompt, command.agent)
    else if (command.type === 'answer') run.control.answer(command.answers)
  } catch (error) {
    // A call that has its answer by now is no fault of anybody's.
    if (!isMillraceError(error)) onError(error)
  }
}
