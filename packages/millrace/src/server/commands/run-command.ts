import type { PauseAnswers, ProducerRequest } from '../../agent/port/index.ts'
import { isMillraceError, type MillraceError } from '../../errors/index.ts'
import type { QueueState } from '../../events/index.ts'
import type { Command, SessionInfo, Submission } from '../../stores/port/index.ts'
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

/** A prompt received while a run is active, or a message to that run. */
export interface PromptCommand extends Omit<
  PromptRequest,
  'session' | 'owner' | 'key' | 'whenBusy'
> {
  readonly type: 'prompt'
  readonly messageId: string
  readonly whenBusy: 'queue' | 'steer' | 'interrupt'
  /** The sub-agent that gets the message; absent for the root agent. */
  readonly agent?: string
  /** Time of arrival, in milliseconds since the epoch. */
  readonly at: number
}

/** A frame about a prompt in the queue. */
export interface NoticeCommand {
  readonly type: 'notice'
  readonly messageId: string
  readonly state: QueueState
  readonly text: string
}

/** The outcome of a request without an effect of its own, until it is settled. */
interface ReceiptCommand {
  readonly type: 'receipt'
  readonly state: 'done' | 'void'
  /** The keys of the answers that it stored. */
  readonly keys?: readonly string[]
}

/** A command to an active run. */
export type RunCommand =
  | { readonly type: 'stop'; readonly agent?: string }
  | { readonly type: 'answer'; readonly answers: PauseAnswers }
  | { readonly type: 'rename'; readonly title: string }
  | { readonly type: 'count'; readonly bytes: number }
  | { readonly type: 'produce'; readonly request: ProducerRequest }
  | PromptCommand
  | NoticeCommand
  | ReceiptCommand

/** A command as stored in an inbox. */
export interface StoredCommand {
  /** The number of its run; only a prompt may reach another run. */
  readonly run: number
  /** The digest of its content, if its sender chose the key. */
  readonly digest?: string
  readonly command: RunCommand
}

/** Wakes the server of a session. Only a hint: the server also looks with every append and lease renewal. */
const wakeCommand = 'wake'

/** Asks any server to resume a run that was handed off. */
export const recoverCommand = 'carry_on'

/** The run that a command addresses. */
export interface CommandPlace {
  readonly session: string
  readonly log: string
  readonly run: number
  readonly key?: MessageKey | undefined
}

/**
 * Stores a command in the inbox of a session. It stays pending until its effect is stored, so that any server that
 * executes the run, now or after a crash, carries it out. Throws `conflict` if its key belongs to other content.
 */
export async function submitCommand(
  { store }: Pick<RunServices, 'store'>,
  { session, log, run, key }: CommandPlace,
  command: RunCommand,
): Promise<Submission & { readonly stored: StoredCommand }> {
  const digest = key === undefined ? {} : { digest: key.digest }
  const stored: StoredCommand = { run, ...digest, command }
  const body = JSON.stringify(stored)
  const named = { key: key?.key ?? crypto.randomUUID(), body }
  const submission = await store.submit(session, named, log)
  if (key !== undefined && !submission.isNew) checkReceipt(submission.command, key)
  return { ...submission, stored }
}

/** Stores a command for the server of a run, and wakes that server. */
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
 * Stores the outcome of a request without an effect of its own, so that a repeated request has no effect. Returns the
 * outcome that counts, which is the first one.
 */
export async function keepReceipt(
  services: Pick<RunServices, 'store'>,
  { session, log }: Pick<SessionInfo, 'session' | 'log'>,
  key: MessageKey | undefined,
  outcome: Omit<ReceiptCommand, 'type'>,
): Promise<CommandState> {
  const { state } = outcome
  if (key === undefined) return state
  const place = { session, log, run: 0, key }
  const { isNew, command } = await submitCommand(services, place, { type: 'receipt', ...outcome })
  if (!isNew) return decodeReceipt(command).state
  const body = encodeReceipt({ ...outcome, digest: key.digest })
  await services.store.settle(session, { key: key.key, body }, log)
  return state
}

/** Wakes the server of a run after a command was stored. */
export async function wakeOwner(services: RunServices, session: string): Promise<void> {
  await services.store.send(session, wakeCommand).catch(() => {})
  // That server may just have ended the run.
  services.carryOutPending(session)
}

/** Codes of errors after which a command can never take effect. */
const refusals: ReadonlySet<string> = new Set([
  'not_found',
  'conflict',
  'bad_request',
  'payload_too_large',
  'unsupported',
])

/** Whether a command failed permanently: its call is already answered, or its agent is no longer offered. */
export function isRefusal(error: unknown): error is MillraceError {
  return isMillraceError(error) && refusals.has(error.code)
}

/** Decodes a command of an inbox. */
export function decodeCommand({ body }: Command): StoredCommand {
  return JSON.parse(body) as StoredCommand
}
