import { isMillraceError, MillraceError } from '../../errors/index.ts'
import type { Prompt } from '../../events/index.ts'
import type { SessionInfo, Store } from '../../stores/port/index.ts'
import { sleep } from '../../streams/index.ts'
import { storePromptFiles } from '../files/prompt-files.ts'
import { toStoredBlock } from '../files/stored-blocks.ts'
import { completedAt } from '../reading/completion.ts'
import { headOf, sessionMissing } from '../sessions/load-session.ts'
import { toClientKey } from '../requests/message-key.ts'
import type { Run } from '../runs/run.ts'
import { isElsewhere, isRunning, type LogRange, type RunServices } from '../runs/run-services.ts'
import { bytesOf, checkQuota, countingFiles } from '../sessions/quota.ts'
import { chooseAgentType, type PromptRequest } from './prompt-request.ts'
import type { StoredMessage } from './pass-message.ts'
import { decodeReceipt, encodeReceipt, type MessageKey, readOutcome } from './receipts.ts'
import { decodeCommand, passCommand, type PromptCommand } from './run-command.ts'
import { countBytes } from './upload.ts'
import { decodeDelivery } from '../webhooks/post-event.ts'

/** Maximum pending prompts of a session, including messages to its run. An inbox has room for more, so that stops and answers always fit. */
const MAX_PROMPTS = 100

/** The shortest and longest interval between checks of a queued prompt; it doubles during a run. */
const LOOK_MS = 50
const LONGEST_LOOK_MS = 1_000

type WhenBusy = PromptCommand['whenBusy']

/** Finds the session if a prompt cannot start now. A pause or a queue only delays a prompt to be queued. */
export async function findBusy(
  { runs, store }: RunServices,
  session: string,
  whenBusy: WhenBusy,
): Promise<SessionInfo | undefined> {
  const run = runs.get(session)
  if (run?.isEnding() === true) await run.over
  const info = await store.info(session)
  const isHere = run !== undefined && !run.isEnding() && run.log === info?.log
  if (info === undefined || isHere || isElsewhere(info)) return info
  if (whenBusy !== 'queue') return undefined
  const isWaited = headOf(info)?.status === 'paused' || (await readQueue(store, info)).length > 0
  return isWaited ? info : undefined
}

/** A prompt received while a run is active, or a message to one agent of that run. */
interface BusyPrompt extends PromptRequest {
  readonly whenBusy: WhenBusy
  readonly agent?: string
}

/** Stores a prompt for the queue or for the active run; returns the range of its outcome. */
export async function enqueue(
  services: RunServices,
  request: BusyPrompt,
  info: SessionInfo,
): Promise<LogRange> {
  const { agents, defaultAgent } = services
  const { key: given } = request
  chooseAgentType(request, headOf(info), { offered: Object.keys(agents), defaultAgent })
  const messageId = given?.messageId ?? crypto.randomUUID()
  const key = given ?? { key: toClientKey(messageId), digest: '', messageId }
  await storePrompt(services, { ...request, key }, info)
  return readQueued(services, info, key)
}

/** Stores a prompt with its files for the active run, and wakes the server of the run. */
export async function storePrompt(
  services: RunServices,
  request: BusyPrompt,
  info: SessionInfo,
): Promise<{ readonly key: string; readonly stored: StoredMessage }> {
  const { session: _, owner: __, prompt, key: given, ...rest } = request
  await checkPrompts(services.store, info)
  await keepFiles(services, info, prompt)
  const messageId = given?.messageId ?? crypto.randomUUID()
  const kept = typeof prompt === 'string' ? prompt : prompt.map(toStoredBlock)
  const at = services.now()
  const command = { ...rest, type: 'prompt', messageId, prompt: kept, at } as const
  const submission = await passCommand(services, info, command, given)
  return { key: submission.command.key, stored: { ...submission.stored, command } }
}

/** Throws if a session has the maximum number of pending prompts. */
async function checkPrompts(store: Store, info: SessionInfo): Promise<void> {
  // Most inboxes need not be read.
  if (info.pending < MAX_PROMPTS) return
  if ((await readPrompts(store, info)).length >= MAX_PROMPTS) throw queueFull(info.session)
}

/** Stores the files of a queued prompt and counts their bytes. Enforces the quotas of session and owner. */
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
    await storePromptFiles({ store: checked, session }, prompt)
  } finally {
    if (kept > 0) await countBytes(services, session, kept)
  }
}

/** A prompt in the queue of a session. */
export interface QueuedPrompt {
  readonly key: string
  readonly command: PromptCommand
}

/** Reads the prompts that wait for the end of a run, in order of arrival. */
export async function readQueue(
  store: RunServices['store'],
  info: SessionInfo,
): Promise<readonly QueuedPrompt[]> {
  const prompts = await readPrompts(store, info)
  return prompts.filter(({ command }) => command.whenBusy !== 'steer')
}

/** Reads the pending prompts of a session, in order of arrival. */
async function readPrompts(
  store: RunServices['store'],
  { session, log, pending }: SessionInfo,
): Promise<readonly (QueuedPrompt & { readonly digest: string })[]> {
  if (pending === 0) return []
  const commands = await store.pending(session, log)
  return commands.flatMap((one) => {
    if (decodeDelivery(one) !== undefined) return []
    const { command, digest = '' } = decodeCommand(one)
    return command.type === 'prompt' ? [{ key: one.key, command, digest }] : []
  })
}

/** Voids all pending prompts of a session that is to be removed, so that none of them starts. [CMD-5] */
export async function voidPrompts({ store }: RunServices, session: string): Promise<void> {
  const info = await store.info(session)
  if (info === undefined) return
  for (const { key, digest } of await readPrompts(store, info)) {
    const body = encodeReceipt({ state: 'void', digest })
    await store.settle(session, { key, body }, info.log)
  }
}

/** Returns the range of a prompt's outcome, at once or as soon as the prompt starts. */
export async function readQueued(
  services: RunServices,
  info: SessionInfo,
  { key, messageId = key }: MessageKey,
): Promise<LogRange> {
  const { session, log, tail } = info
  const command = await services.store.command(session, key, log)
  if (command === undefined) throw sessionMissing(session)
  if (!command.isPending) return readOutcome(services, session, decodeReceipt(command))
  const nothing = { session, log, after: tail, completion: completedAt(tail) }
  const begins = async (signal: AbortSignal): Promise<LogRange> => {
    try {
      return await untilSettled(services, info, key, signal)
    } catch (error) {
      // The session was removed, and the prompt is void.
      if (isMillraceError(error) && removals.has(error.code)) return nothing
      throw error
    }
  }
  return { ...nothing, queued: { messageId, begins } }
}

const removals: ReadonlySet<string> = new Set(['not_found', 'log_replaced'])

/** Waits until a prompt has started or is void; returns the range of its outcome. */
async function untilSettled(
  services: RunServices,
  { session, log }: SessionInfo,
  key: string,
  signal: AbortSignal,
): Promise<LogRange> {
  const { store, runs } = services
  for (let pause = LOOK_MS; ; pause = Math.min(2 * pause, LONGEST_LOOK_MS)) {
    const info = await store.info(session)
    const command = await store.command(session, key, log)
    if (info === undefined || command === undefined) throw sessionMissing(session)
    if (!command.isPending) return readOutcome(services, session, decodeReceipt(command))
    // An active run writes many frames, and few of them settle a prompt; between runs, the next frame does.
    if (isRunning(info)) await sleepUnlessOver(runs.get(session), pause, signal)
    else {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_LOOK_MS)])
      await store.wait(session, info.tail, limit, log).catch(() => sleep(LOOK_MS, signal))
    }
    signal.throwIfAborted()
  }
}

/** Waits for some time, or until the run on this server is over. */
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

/** Withdraws a queued prompt; throws `conflict` if it has started, `not_found` if there is none. [CMD-5] */
export async function withdraw(
  services: RunServices,
  session: string,
  messageId: string,
): Promise<void> {
  const { store } = services
  const key = toClientKey(messageId)
  const info = await store.info(session)
  const command = info && (await store.command(session, key, info.log))
  if (info === undefined || command === undefined) throw notQueued(messageId)
  const receipt = decodeReceipt(command)
  if (receipt.state === 'pending') {
    const { command: waiting, digest = '' } = decodeCommand(command)
    if (waiting.type !== 'prompt') throw notQueued(messageId)
    if (waiting.whenBusy === 'steer') throw hasBegun(messageId)
    const body = encodeReceipt({ state: 'withdrawn', digest })
    const isMine = await store.settle(session, { key, body }, info.log)
    if (!isMine) return withdraw(services, session, messageId)
  } else if (receipt.state !== 'withdrawn') throw hasBegun(messageId)
  // Also for a prompt withdrawn before: the request may repeat one whose server died.
  await dismiss(services, info, { messageId, state: 'withdrawn', text: '' })
}

/** Reports to readers that a prompt has left the queue without starting; repeated calls report it once. */
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
    `Session ${session} has reached the limit of ${MAX_PROMPTS} prompts and messages that wait; wait until one takes effect, or withdraw one.`,
  )
}

function notQueued(messageId: string): MillraceError {
  return new MillraceError(
    'not_found',
    `This session has no queued prompt ${JSON.stringify(messageId)}; GET /agent/{uuid} lists the queue.`,
  )
}

function hasBegun(messageId: string): MillraceError {
  return new MillraceError(
    'conflict',
    `The prompt ${JSON.stringify(messageId)} is no longer queued: it has started, or cannot start. Stop its run with POST /agent/{uuid}/stop.`,
    { details: { reason: 'begun' } },
  )
}
