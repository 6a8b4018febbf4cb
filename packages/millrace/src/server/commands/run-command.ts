import type { PauseAnswers } from '../../agent/port/index.ts'
import { isMillraceError, type MillraceError } from '../../errors/index.ts'
import type { QueueState } from '../../events/index.ts'
import type { Command, SessionInfo, Submission } from '../../stores/port/index.ts'
import { mapStoreErrors } from '../map-store-errors.ts'
import { headOf } from '../sessions/load-session.ts'
import type { RunServices } from '../runs/run-services.ts'
import type { PromptRequest } from './prompt-request.ts'
import {
  checkReceipt,
  type CommandState,
  decodeReceipt,
  encodeReceipt,
  type MessageKey,
} from './receipts.ts'

/** A prompt that came while a run was under way, or a message to that run. */
export interface PromptCommand extends Omit<
  PromptRequest,
  'session' | 'owner' | 'key' | 'whenBusy'
> {
  readonly type: 'prompt'
  readonly messageId: string
  readonly whenBusy: 'queue' | 'steer' | 'interrupt'
  /** The sub-agent that a message is for; absent if it is for the root agent. */
  readonly agent?: string
  /** When it came, in milliseconds since the epoch. */
  readonly at: number
}

/** A frame that tells of a prompt in the queue. */
export interface NoticeCommand {
  readonly type: 'notice'
  readonly messageId: string
  readonly state: QueueState
  readonly text: string
}

/** The outcome of a request that has no effect of its own, until it is settled. */
export interface ReceiptCommand {
  readonly type: 'receipt'
  readonly state: 'done' | 'void'
}

/** A command to a run under way. */
export type RunCommand =
  | { readonly type: 'stop'; readonly agent?: string }
  | { readonly type: 'answer'; readonly answers: PauseAnswers }
  | { readonly type: 'rename'; readonly title: string }
  | { readonly type: 'count'; readonly bytes: number }
  | PromptCommand
  | NoticeCommand
  | ReceiptCommand

/** A command as an inbox has it. */
export interface StoredCommand {
  /** The number of the run that it is meant for; only a prompt may reach another one. */
  readonly run: number
  /** The digest of its content, if its sender chose its key. */
  readonly digest?: string
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
  readonly key?: MessageKey | undefined
}

/**
 * Stores a command in the inbox of a session, where it stays pending until its effect is stored: whichever server carries
 * on the run, now or after a crash, carries it out. Throws `conflict` if its key stands for other content.
 */
export async function submitCommand(
  { store }: RunServices,
  { session, log, run, key }: CommandPlace,
  command: RunCommand,
): Promise<Submission & { readonly stored: StoredCommand }> {
  const digest = key === undefined ? {} : { digest: key.digest }
  const stored: StoredCommand = { run, ...digest, command }
  const body = JSON.stringify(stored)
  const named = { key: key?.key ?? crypto.randomUUID(), body }
  const submission = await mapStoreErrors(store.submit(session, named, log))
  if (key !== undefined && !submission.isNew) checkReceipt(submission.command, key)
  return { ...submission, stored }
}

/** Stores a command for the server that carries on a run, and wakes it. */
export async function passCommand(
  services: RunServices,
  info: SessionInfo,
  command: RunCommand,
  key?: MessageKey,
): Promise<Submission & { readonly stored: StoredCommand }> {
  const { session, log } = info
  const place = { session, log, run: headOf(info)?.runs ?? 0, key }
  const submission = await submitCommand(services, place, command)
  await wakeOwner(services, session)
  return submission
}

/**
 * Keeps the outcome of a request that has no effect of its own to be stored with: sent again, it must not take effect. Gives the outcome
 * that counts, which is the first one.
 */
export async function keepReceipt(
  services: RunServices,
  { session, log }: Pick<SessionInfo, 'session' | 'log'>,
  key: MessageKey | undefined,
  state: ReceiptCommand['state'],
): Promise<CommandState> {
  if (key === undefined) return state
  const place = { session, log, run: 0, key }
  const { isNew, command } = await submitCommand(services, place, { type: 'receipt', state })
  if (!isNew) return decodeReceipt(command).state
  const body = encodeReceipt({ state, digest: key.digest })
  await mapStoreErrors(services.store.settle(session, { key: key.key, body }, log))
  return state
}

/** Wakes the server that carries on a run, after a command was stored. */
export async function wakeOwner(services: RunServices, session: string): Promise<void> {
  await services.store.send(session, wakeCommand).catch(() => {})
  // That server may have ended the run a moment before.
  services.attend(session)
}

/** The errors with which a command cannot take effect, now or later. */
const refusals: ReadonlySet<string> = new Set([
  'not_found',
  'conflict',
  'bad_request',
  'payload_too_large',
  'unsupported',
])

/** Whether a command failed for good: a call has its answer by now, an agent is not offered any more. */
export function isRefusal(error: unknown): error is MillraceError {
  return isMillraceError(error) && refusals.has(error.code)
}

/** Reads a command of an inbox. */
export function decodeCommand({ body }: Command): StoredCommand {
  return JSON.parse(body) as StoredCommand
}
