import { MillraceError } from '../../errors/index.ts'
import { isJsonObject } from '../../json/index.ts'
import type { Command, CommandChange, SessionInfo, Store } from '../../stores/port/index.ts'
import { hasAt } from '../feeds/line-bytes.ts'
import { completedAt } from '../reading/completion.ts'
import { endOf, headOf, sessionMissing } from '../sessions/load-session.ts'
import { rootAgentOf, type SessionHead } from '../sessions/session-record.ts'
import { checkPosition } from '../requests/cursor.ts'
import { isRunning, type LogRange, type RunServices } from '../runs/run-services.ts'
import { frameStart, isFailureReason } from '../../events/index.ts'

/** The identity of a command that may be repeated. */
export interface MessageKey {
  readonly key: string
  readonly digest: string
  /** The key that its sender chose, as in frames. */
  readonly messageId?: string
  /** When the same key starts another run: never if absent, after a failed run, or always, to repeat a prompt. */
  readonly reuse?: 'after_failure' | 'always'
  /** Another key of its run in the inbox, such as that of the request. */
  readonly alias?: string
}

/** The state of a command; `pending` until its effect is stored. */
export type CommandState = 'pending' | 'done' | 'void' | 'withdrawn'

/** The known outcome of a command, pending or settled. */
interface Receipt {
  readonly state: CommandState
  readonly digest?: string
  /** The keys of the answers that its request stored: the request is void if one of them is. */
  readonly keys?: readonly string[]
  /** The run in which it took effect, and the first frame of the effect. */
  readonly run?: number
  readonly first?: number
}

/** Encodes the receipt of a settled command: only its state if it has neither a digest nor a run. */
export function encodeReceipt(receipt: Receipt): string {
  const { state, digest, run } = receipt
  return digest === undefined && run === undefined ? state : JSON.stringify(receipt)
}

/** Creates the receipts of a command that takes effect with an append; none without a key. */
export function toReceipts(
  key: MessageKey | undefined,
  place: Pick<Receipt, 'run' | 'first'> = {},
): readonly CommandChange[] {
  if (key === undefined) return []
  const body = encodeReceipt({ state: 'done', digest: key.digest, ...place })
  const keys = key.alias === undefined ? [key.key] : [key.key, key.alias]
  return keys.map((one) => ({ key: one, body, isPending: false }))
}

/** Whether a run is the newest of its session and has failed, so that the same prompt starts another run. */
export function hasFailed(
  { runs, status, stopReason }: Pick<SessionHead, 'runs' | 'status' | 'stopReason'>,
  run: number | undefined,
): boolean {
  return run === runs && status === 'ended' && isFailureReason(stopReason)
}

/** Decodes the receipt of a command. */
export function decodeReceipt({ body, isPending }: Command): Receipt {
  if (!body.startsWith('{')) return { state: isPending ? 'pending' : (body as CommandState) }
  const value: unknown = JSON.parse(body)
  const { digest, command, ...rest } = isJsonObject(value) ? value : {}
  const known = typeof digest === 'string' ? { digest } : {}
  if (!isPending) return { ...rest, ...known } as Receipt
  // The outcome of a request without an effect of its own is known before it is settled.
  const isKnown = isJsonObject(command) && command['type'] === 'receipt'
  return { ...(isKnown ? (command as object as Receipt) : { state: 'pending' }), ...known }
}

/** Finds the receipt of a command by its key; throws `conflict` if the key belongs to other content. [CMD-2] */
export async function findReceipt(
  store: Store,
  info: Pick<SessionInfo, 'session' | 'log'> | undefined,
  key: MessageKey | undefined,
): Promise<Receipt | undefined> {
  if (info === undefined || key === undefined || key.reuse === 'always') return undefined
  const { session, log } = info
  const command = await store.command(session, key.key, log)
  const receipt = command && checkReceipt(command, key)
  for (const name of receipt?.keys ?? []) {
    const answer = await store.command(session, name, log)
    if (answer && decodeReceipt(answer).state === 'void') return { ...receipt, state: 'void' }
  }
  return receipt
}

/** Creates the error for the repetition of a command that was acknowledged and had no effect. [CMD-1] */
export function hadNoEffect(problem: string): MillraceError {
  return new MillraceError('conflict', problem, { details: { reason: 'void' } })
}

/** Returns the receipt of a command; throws `conflict` if its key was sent with other content. */
export function checkReceipt(command: Command, { digest, messageId }: MessageKey): Receipt {
  const receipt = decodeReceipt(command)
  if ((receipt.digest ?? digest) === digest) return receipt
  throw new MillraceError(
    'conflict',
    `The key ${JSON.stringify(messageId ?? command.key)} was sent before with other content; choose another key for another message.`,
    { details: { reason: 'key_reused' } },
  )
}

const PAGE = 256

/** Returns the range of a command's outcome, from its first frame to the end of its run or its first pause. */
export async function readOutcome(
  { store, runs, remote }: RunServices,
  session: string,
  { run: number, first, state }: Receipt,
): Promise<LogRange> {
  // Read before the tail, so that a run that ends meanwhile is not truncated.
  const run = runs.get(session)
  const info = await store.info(session)
  const head = headOf(info)
  if (info === undefined || head === undefined) throw sessionMissing(session)
  const { log, tail } = info
  if (first === undefined || state !== 'done')
    return { session, log, after: tail, completion: completedAt(tail), state: toEndState(state) }
  const after = first - 1
  checkPosition(after, info)
  const last = await findEnd(store, info, { root: rootAgentOf(session, head), after })
  const going = run ?? (isRunning(info) ? remote(info) : undefined)
  const completion = last === undefined && going !== undefined ? going : completedAt(last ?? tail)
  const place = { session, log, after, ...endOf({ info, head }) }
  return { ...place, completion, state: number === head.runs ? head.status : 'ended' }
}

/** Returns the state of a prompt without frames. */
function toEndState(state: CommandState): 'withdrawn' | 'void' | 'ended' {
  return state === 'withdrawn' || state === 'void' ? state : 'ended'
}

/** Finds the first frame after an id with which the run ends or pauses; undefined if there is none yet. */
async function findEnd(
  store: Store,
  { session, log, tail }: SessionInfo,
  { root, after: from }: { readonly root: string; readonly after: number },
): Promise<number | undefined> {
  const end = frameStart('run_end', root, 'last')
  for (let after = from; after < tail;) {
    const page = await store.read(session, after, PAGE, log)
    const found = page.find(({ line }) => hasAt(line, end, 0))
    if (found !== undefined) return found.id
    after = page.at(-1)?.id ?? tail
  }
  return undefined
}
