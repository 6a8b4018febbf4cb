import { MillraceError } from '../../errors/index.ts'
import { isJsonObject } from '../../json/index.ts'
import type { Command, CommandChange, SessionInfo, Store } from '../../stores/port/index.ts'
import { hasAt } from '../feeds/line-bytes.ts'
import { endOf } from '../sessions/find-session.ts'
import { mapStoreErrors } from '../map-store-errors.ts'
import { completedAt } from '../reading/completion.ts'
import { headOf } from '../sessions/load-session.ts'
import { rootAgentOf, type SessionHead } from '../sessions/session-record.ts'
import { checkPosition } from '../requests/cursor.ts'
import { isRunning, type LogRange, type RunServices, sessionMissing } from '../runs/run-services.ts'

/** By which a command that is sent again is known. */
export interface MessageKey {
  /** Its key in the inbox. */
  readonly key: string
  /** The digest of its content. */
  readonly digest: string
  /** The key that its sender chose, as frames name it. */
  readonly messageId?: string
  /** When the same key begins another run: never if absent, if its run has failed, or always, as for a prompt that is to be answered once more. */
  readonly reuse?: 'after_failure' | 'always'
  /** Another key in the inbox under which its run is found, such as that of the request. */
  readonly alias?: string
}

/** How a command ended; `pending` while its effect is not stored. */
export type CommandState = 'pending' | 'done' | 'void' | 'withdrawn'

/** What is known of a command, pending or settled. */
export interface Receipt {
  readonly state: CommandState
  readonly digest?: string
  /** The run in which it took effect, and the first frame that shows it. */
  readonly run?: number
  readonly first?: number
}

/** Writes what stays of a command that is settled; one without a digest or a place needs no more than its state. */
export function encodeReceipt(receipt: Receipt): string {
  const { state, digest, run } = receipt
  return digest === undefined && run === undefined ? state : JSON.stringify(receipt)
}

/** The receipt of a command that takes effect with an append, as that stores it; none if it has no key. */
export function toReceipts(
  key: MessageKey | undefined,
  place: Pick<Receipt, 'run' | 'first'> = {},
): readonly CommandChange[] {
  if (key === undefined) return []
  const body = encodeReceipt({ state: 'done', digest: key.digest, ...place })
  const keys = key.alias === undefined ? [key.key] : [key.key, key.alias]
  return keys.map((one) => ({ key: one, body, isPending: false }))
}

/** Runs that came to nothing: the same prompt again is meant to be asked again. */
const failedEnds: ReadonlySet<string | null> = new Set(['error', 'aborted'])

/** Whether a run is the newest of its session and came to nothing. */
export function hasFailed(
  { runs, status, stopReason }: Pick<SessionHead, 'runs' | 'status' | 'stopReason'>,
  run: number | undefined,
): boolean {
  return run === runs && status === 'ended' && failedEnds.has(stopReason)
}

/** Reads what is known of a command. */
export function decodeReceipt({ body, isPending }: Command): Receipt {
  if (!body.startsWith('{')) return { state: isPending ? 'pending' : (body as CommandState) }
  const value: unknown = JSON.parse(body)
  const { digest, command, ...rest } = isJsonObject(value) ? value : {}
  const known = typeof digest === 'string' ? { digest } : {}
  if (!isPending) return { ...rest, ...known } as Receipt
  // The outcome of a request that had no effect is known before it is settled.
  const isKnown = isJsonObject(command) && command['type'] === 'receipt'
  return { state: isKnown ? (command['state'] as CommandState) : 'pending', ...known }
}

/** Finds what became of a command with a key; throws `conflict` if the key stands for other content. [CMD-2] */
export async function findReceipt(
  store: Store,
  info: Pick<SessionInfo, 'session' | 'log'> | undefined,
  key: MessageKey | undefined,
): Promise<Receipt | undefined> {
  if (info === undefined || key === undefined || key.reuse === 'always') return undefined
  const command = await mapStoreErrors(store.command(info.session, key.key, info.log))
  return command && checkReceipt(command, key)
}

/** Gives the receipt of a command; throws `conflict` if its key was sent with other content. */
export function checkReceipt(command: Command, { digest, messageId }: MessageKey): Receipt {
  const receipt = decodeReceipt(command)
  if ((receipt.digest ?? digest) === digest) return receipt
  throw new MillraceError(
    'conflict',
    `The key ${JSON.stringify(messageId ?? command.key)} was sent before with other content; choose another key for another message.`,
    { details: { reason: 'key_reused' } },
  )
}

const encoder = new TextEncoder()
const PAGE = 256

/** Reads what a command has led to: the frames from the first that shows it, to the end of its run or its first pause. */
export async function readOutcome(
  { store, runs, remote }: RunServices,
  session: string,
  { run: number, first, state }: Receipt,
): Promise<LogRange> {
  // Looked at before the tail is, so that a run which ends meanwhile is not cut short.
  const run = runs.get(session)
  const info = await mapStoreErrors(store.info(session))
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

/** The state of a prompt that has led to no frames. */
function toEndState(state: CommandState): 'withdrawn' | 'void' | 'ended' {
  return state === 'withdrawn' || state === 'void' ? state : 'ended'
}

/** The first message after an id with which the run ends or pauses; undefined if there is none yet. */
async function findEnd(
  store: Store,
  { session, log, tail }: SessionInfo,
  { root, after: from }: { readonly root: string; readonly after: number },
): Promise<number | undefined> {
  const end = encoder.encode(`{"type":"meta_end","agent":${JSON.stringify(root)},"final":true`)
  for (let after = from; after < tail;) {
    const page = await mapStoreErrors(store.read(session, after, PAGE, log))
    const found = page.find(({ line }) => hasAt(line, end, 0))
    if (found !== undefined) return found.id
    after = page.at(-1)?.id ?? tail
  }
  return undefined
}
