import type { PauseAnswers } from '../../agent/index.ts'
import type { Prompt } from '../../events/index.ts'
import type { Command, SessionInfo } from '../../store/index.ts'
import { fromStore } from '../from-store.ts'
import { headOf } from '../load-session.ts'
import type { RunContext } from '../run-context.ts'

/** A command to a run under way. */
export type RunCommand =
  | { readonly type: 'stop'; readonly agent?: string }
  | { readonly type: 'steer'; readonly agent?: string; readonly prompt: Prompt }
  | { readonly type: 'answer'; readonly answers: PauseAnswers }
  | { readonly type: 'rename'; readonly title: string }
  | { readonly type: 'count'; readonly bytes: number }

/** A command as an inbox has it. */
interface StoredCommand {
  /** The number of the run that it is meant for: it must not reach the next one. */
  readonly run: number
  readonly command: RunCommand
}

/** Wakes the server that runs a session. A hint: it also looks with every append and whenever it renews its lease. */
const wakeCommand = 'wake'

/** Asks whoever hears it first to carry on a run that is handed over. */
export const carryOnCommand = 'carry_on'

/** Where a command is stored. */
export interface CommandPlace {
  readonly session: string
  readonly log: string
  /** The number of the run. */
  readonly run: number
  readonly key?: string
}

/**
 * Stores a command in the inbox of a session, where it stays pending until its effect is stored: whichever server carries
 * on the run, now or after a crash, carries it out.
 */
export async function submitCommand(
  { store }: RunContext,
  { session, log, run, key = crypto.randomUUID() }: CommandPlace,
  command: RunCommand,
): Promise<void> {
  const body = JSON.stringify({ run, command } satisfies StoredCommand)
  await fromStore(store.submit(session, { key, body }, log))
}

/** Stores a command for the server that carries on a run, and wakes it. */
export async function passCommand(
  context: RunContext,
  info: SessionInfo,
  command: RunCommand,
): Promise<void> {
  const { session, log } = info
  await submitCommand(context, { session, log, run: headOf(info)?.runs ?? 0 }, command)
  await context.store.send(session, wakeCommand).catch(() => {})
  // That server may have ended the run a moment before.
  context.attend(session)
}

/** Reads a command of an inbox. */
export function decodeCommand({ body }: Command): StoredCommand {
  return JSON.parse(body) as StoredCommand
}
