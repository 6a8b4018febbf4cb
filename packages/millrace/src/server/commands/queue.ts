import { isMillraceError, MillraceError } from '../../errors/index.ts'
import type { Prompt } from '../../events/index.ts'
import type { SessionInfo, Store } from '../../stores/port/index.ts'
import { sleep } from '../../streams/index.ts'
import { storePromptFiles } from '../files/prompt-files.ts'
import { toStoredBlock } from '../files/stored-blocks.ts'
import { mapStoreErrors } from '../map-store-errors.ts'
import { completedAt } from '../reading/completion.ts'
import { headOf } from '../sessions/load-session.ts'
import { toClientKey } from '../requests/message-key.ts'
import type { Run } from '../runs/run.ts'
import {
  isElsewhere,
  isRunning,
  type LogRange,
  type RunServices,
  sessionMissing,
} from '../runs/run-services.ts'
import { bytesOf, checkQuota, countingFiles } from '../sessions/session-quota.ts'
import { chooseAgentType, type PromptRequest } from './prompt-request.ts'
import type { StoredMessage } from './give-message.ts'
import { decodeReceipt, encodeReceipt, type MessageKey, readOutcome } from './receipts.ts'
import { decodeCommand, passCommand, type PromptCommand } from './run-command.ts'
import { countBytes } from './upload.ts'
import { decodeDelivery } from '../webhooks/stored-delivery.ts'

/** So many prompts of a session may wait; an inbox has room for more, so that a stop finds a place. */
const MAX_QUEUED = 100

/** The shortest and the longest pause between two looks at a prompt that waits; a run under way makes them longer. */
const LOOK_MS = 50
const LONGEST_LOOK_MS = 1_000

type WhenBusy = PromptCommand['whenBusy']

/** Finds what keeps a prompt from beginning now; undefined if nothing does. A run that waits for people keeps only one that is to be queued. */
export async function findBusy(
  { runs, store }: RunServices,
  session: string,
  whenBusy: WhenBusy,
): Promise<SessionInfo | undefined> {
  const run = runs.get(session)
  if (run?.isEnding() === true) await run.over
  const info = await mapStoreErrors(store.info(session))
  const isHere = run !== undefined && !run.isEnding() && run.log === info?.log
  if (info === undefined || isHere || isElsewhere(info)) return info
  if (whenBusy !== 'queue') return undefined
  const isWaited = headOf(info)?.status === 'paused' || (await readQueue(store, info)).length > 0
  return isWaited ? info : undefined
}

/** A prompt that comes while a run is under way, or a message to one agent of that run. */
interface BusyPrompt extends PromptRequest {
  readonly whenBusy: WhenBusy
  readonly agent?: string
}

/** Stores a prompt that waits, or goes to the run under way; the reading covers what it leads to. */
export async function enqueue(
  services: RunServices,
  question: BusyPrompt,
  info: SessionInfo,
): Promise<LogRange> {
  const { store, agents, defaultAgent } = services
  const { session, key: given } = question
  chooseAgentType(question, headOf(info), { offered: Object.keys(agents), defaultAgent })
  if ((await readQueue(store, info)).length >= MAX_QUEUED) throw queueFull(session)
  const messageId = given?.messageId ?? crypto.randomUUID()
  const key = given ?? { key: toClientKey(messageId), digest: '', messageId }
  await storePrompt(services, { ...question, key }, info)
  return readQueued(services, info, key)
}

/** Stores a prompt with its files for the run under way, and wakes the server that has the run. */
export async function storePrompt(
  services: RunServices,
  question: BusyPrompt,
  info: SessionInfo,
): Promise<{ readonly key: string; readonly stored: StoredMessage }> {
  const { session: _, owner: __, prompt, key: given, ...rest } = question
  await keepFiles(services, info, prompt)
  const messageId = given?.messageId ?? crypto.randomUUID()
  const kept = typeof prompt === 'string' ? prompt : prompt.map(toStoredBlock)
  const at = services.now()
  const command = { ...rest, type: 'prompt', messageId, prompt: kept, at } as const
  const submission = await passCommand(services, info, command, given)
  return { key: submission.command.key, stored: { ...submission.stored, command } }
}

/** Keeps the files of a prompt that waits, and counts their bytes; refuses what exceeds the quota of the session or of its owner. */
async function keepFiles(services: RunServices, info: SessionInfo, prompt: Prompt): Promise<void> {
  const { store, maxSessionBytes: max, ownerQuota } = services
  const { session, owner } = info
  const used = await bytesOf(store, info)
  checkQuota(session, used, { max })
  await ownerQuota.check(owner)
  let kept = 0
  const counting = countingFiles(store, (bytes) => (kept += bytes))
  const checked: Store = {
    ...counting,
    putFile: async (name, file) => {
      checkQuota(session, used + kept, { max, added: file.bytes.length })
      await ownerQuota.check(owner, kept + file.bytes.length)
      await counting.putFile(name, file)
    },
  }
  try {
    await mapStoreErrors(storePromptFiles({ store: checked, session }, prompt))
  } finally {
    if (kept > 0) await countBytes(services, session, kept)
  }
}

/** A prompt in the queue of a session. */
export interface QueuedPrompt {
  readonly key: string
  readonly command: PromptCommand
}

/** The prompts of a session that wait for the end of a run, in the order of their arrival. */
export async function readQueue(
  store: RunServices['store'],
  info: SessionInfo,
): Promise<readonly QueuedPrompt[]> {
  const prompts = await readPrompts(store, info)
  return prompts.filter(({ command }) => command.whenBusy !== 'steer')
}

/** The prompts of a session that are pending, in the order of their arrival. */
async function readPrompts(
  store: RunServices['store'],
  { session, log, pending }: SessionInfo,
): Promise<readonly (QueuedPrompt & { readonly digest: string })[]> {
  if (pending === 0) return []
  const commands = await mapStoreErrors(store.pending(session, log))
  return commands.flatMap((one) => {
    if (decodeDelivery(one) !== undefined) return []
    const { command, digest = '' } = decodeCommand(one)
    return command.type === 'prompt' ? [{ key: one.key, command, digest }] : []
  })
}

/** Ends all pending prompts of a session that is to be removed, so that none of them begins. [CMD-5] */
export async function voidPrompts({ store }: RunServices, session: string): Promise<void> {
  const info = await mapStoreErrors(store.info(session))
  if (info === undefined) return
  for (const { key, digest } of await readPrompts(store, info)) {
    const body = encodeReceipt({ state: 'void', digest })
    await mapStoreErrors(store.settle(session, { key, body }, info.log))
  }
}

/** Reads what a prompt leads to: at once if it has begun, else as soon as it does. */
export async function readQueued(
  services: RunServices,
  info: SessionInfo,
  { key, messageId = key }: MessageKey,
): Promise<LogRange> {
  const { session, log, tail } = info
  const command = await mapStoreErrors(services.store.command(session, key, log))
  if (command === undefined) throw sessionMissing(session)
  if (!command.isPending) return readOutcome(services, session, decodeReceipt(command))
  const nothing = { session, log, after: tail, completion: completedAt(tail) }
  const begins = async (signal: AbortSignal): Promise<LogRange> => {
    try {
      return await untilSettled(services, info, key, signal)
    } catch (error) {
      // The session was deleted, and the prompt is void.
      if (isMillraceError(error) && removals.has(error.code)) return nothing
      throw error
    }
  }
  return { ...nothing, queued: { messageId, begins } }
}

const removals: ReadonlySet<string> = new Set(['not_found', 'log_replaced'])

/** Waits until a prompt has begun, or cannot begin any more, and gives what to read of it. */
async function untilSettled(
  services: RunServices,
  { session, log }: SessionInfo,
  key: string,
  signal: AbortSignal,
): Promise<LogRange> {
  const { store, runs } = services
  for (let pause = LOOK_MS; ; pause = Math.min(2 * pause, LONGEST_LOOK_MS)) {
    const info = await mapStoreErrors(store.info(session))
    const command = await mapStoreErrors(store.command(session, key, log))
    if (info === undefined || command === undefined) throw sessionMissing(session)
    if (!command.isPending) return readOutcome(services, session, decodeReceipt(command))
    // The frames of a run under way are many, and few of them show an outcome; one between two runs shows it.
    if (isRunning(info)) await sleepUnlessOver(runs.get(session), pause, signal)
    else {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_LOOK_MS)])
      await store.wait(session, info.tail, limit, log).catch(() => sleep(LOOK_MS, signal))
    }
    signal.throwIfAborted()
  }
}

/** Waits for some time, or until the run of this server is over. */
async function sleepUnlessOver(
  run: Run | undefined,
  ms: number,
  signal: AbortSignal,
): Promise<void> {
  const over = new AbortController()
  const unsubscribe = run?.onChange(() => over.abort())
  await sleep(ms, AbortSignal.any([signal, over.signal]))
  unsubscribe?.()
}

/** Takes a prompt out of the queue before it begins; `conflict` if it has begun, `not_found` if there is none. [CMD-5] */
export async function withdraw(
  services: RunServices,
  session: string,
  messageId: string,
): Promise<void> {
  const { store } = services
  const key = toClientKey(messageId)
  const info = await mapStoreErrors(store.info(session))
  const command = info && (await mapStoreErrors(store.command(session, key, info.log)))
  if (info === undefined || command === undefined) throw notQueued(messageId)
  const receipt = decodeReceipt(command)
  if (receipt.state === 'pending') {
    const { command: waiting, digest = '' } = decodeCommand(command)
    if (waiting.type !== 'prompt') throw notQueued(messageId)
    if (waiting.whenBusy === 'steer') throw hasBegun(messageId)
    const body = encodeReceipt({ state: 'withdrawn', digest })
    const isMine = await mapStoreErrors(store.settle(session, { key, body }, info.log))
    if (!isMine) return withdraw(services, session, messageId)
  } else if (receipt.state !== 'withdrawn') throw hasBegun(messageId)
  // Also if it was withdrawn before: the request may be one that is repeated because its server died.
  await dismiss(services, info, { messageId, state: 'withdrawn', text: '' })
}

/** Tells readers that a prompt has left the queue without having begun; told once however often this is called. */
export async function dismiss(
  services: RunServices,
  info: SessionInfo,
  { messageId, state, text }: { messageId: string; state: 'withdrawn' | 'void'; text: string },
): Promise<void> {
  const key = { key: `${state}:${messageId}`, digest: '' }
  await passCommand(services, info, { type: 'notice', messageId, state, text }, key)
}

function queueFull(session: string): MillraceError {
  return new MillraceError(
    'too_many_requests',
    `${MAX_QUEUED} prompts of session ${session} wait already, which is all that may; wait for one to begin, or withdraw one.`,
  )
}

function notQueued(messageId: string): MillraceError {
  return new MillraceError(
    'not_found',
    `No prompt ${JSON.stringify(messageId)} waits in this session; GET /agent/{uuid} lists those that do.`,
  )
}

function hasBegun(messageId: string): MillraceError {
  return new MillraceError(
    'conflict',
    `The prompt ${JSON.stringify(messageId)} waits no more: it has begun, or cannot begin. Stop its run with POST /agent/{uuid}/stop.`,
    { details: { reason: 'begun' } },
  )
}
