import { isMillraceError } from '../../errors/index.ts'
import type { Caller } from '../access/caller.ts'
import { stopSession, withdrawPrompt } from '../actions/control-session.ts'
import { decodeReceipt } from '../commands/receipts.ts'
import { toClientKey } from '../requests/message-key.ts'
import type { LogRange } from '../runs/run-services.ts'
import type { ServerContext } from '../server-context.ts'
import { headOf } from '../sessions/load-session.ts'

/** The run of a handle. */
export interface HandledRun {
  readonly session: string
  /** The key of its command. */
  readonly key: string | undefined
  /** Its number; undefined while its prompt is queued. */
  readonly number: number | undefined
}

/** Returns the number of the run that a command has just started or resumed; undefined for a queued prompt. */
export async function numberOf(
  { runs, store }: ServerContext,
  { session, queued }: LogRange,
): Promise<number | undefined> {
  if (queued !== undefined) return undefined
  return runs.active(session)?.number ?? headOf(await store.info(session))?.runs
}

/** Stops a run, or withdraws its prompt; false if it is over, also while a later run of the session is active. */
export async function stopRun(
  context: ServerContext,
  caller: Caller,
  { session, key, number }: HandledRun,
): Promise<boolean> {
  const info = await context.store.info(session)
  const head = headOf(info)
  if (info === undefined || head === undefined) return false
  // The number of a repeated prompt is that of its first run.
  const begun = key && (await context.runs.find(info, toClientKey(key)))
  const own = begun ? begun.run : number
  const stop = () => stopSession(context, caller, session, {})
  if (own !== undefined) return own === head.runs && stop()
  try {
    await withdrawPrompt(context, caller, session, key ?? '')
    return true
  } catch (error) {
    if (!isMillraceError(error) || error.code !== 'conflict') throw error
    // It has started meanwhile, was sent to the active run as a message, or had no effect.
    const command = await context.store.command(session, toClientKey(key ?? ''), info.log)
    return (command === undefined || decodeReceipt(command).state !== 'void') && stop()
  }
}
