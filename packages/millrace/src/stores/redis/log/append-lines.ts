import { createHash } from 'node:crypto'
import type { MillraceError } from '../../../errors/index.ts'
import {
  type Append,
  type Appended,
  checkHead,
  checkKey,
  inboxDiffers,
  leaseLost,
  sessionUnknown,
  tailDiffers,
} from '../../port/index.ts'
import type { SessionKeys } from '../keys.ts'
import { toPartChange } from './part-fields.ts'
import type { RedisContext } from '../redis-context.ts'
import { numberAt, type Reply, textAt } from '../reply.ts'
import { type PreparedScript, prepareScript, runPrepared } from '../connection/run-script.ts'
import { append } from '../scripts/index.ts'
import { FIRST_DETAIL, type SessionState, stateOf, statusOf } from '../sessions/session-state.ts'
import { logTruncated } from '../connection/store-errors.ts'
import type { Argument } from '../connection/wire-command.ts'

/** Stores appends. */
export type AppendLines = (append: Append) => Promise<Appended>

/** Trimming costs by the block, so that one that is due with every append would double its cost. */
const LARGEST_BLOCK = 1_024

/** So many appends whose outcome is not known are remembered, to know them again. */
const MAX_DOUBTS = 1_000

/** Creates the function that appends. Most appends are of lines alone, and what they all do is kept short: it is done for each event of a run. */
export function createAppendLines(context: RedisContext, maxMessages: number): AppendLines {
  const { connection, witness, taps, note } = context
  const prepare = createPrepare(context, maxMessages)
  const process = crypto.randomUUID()
  const doubts = new Map<string, string>()
  let count = 0

  /** A caller that tries again what was in doubt gets the token that may have been stored. */
  const toToken = (asked: Append): string => {
    const known = doubts.size > 0 ? doubts.get(digest(asked)) : undefined
    return known ?? `${process}:${++count}`
  }

  const remember = (asked: Append, token: string): void => {
    doubts.set(digest(asked), token)
    const [oldest] = doubts.keys()
    if (doubts.size > MAX_DOUBTS && oldest !== undefined) doubts.delete(oldest)
  }

  const refuse = async (asked: Append, reply: Reply): Promise<never> => {
    if (statusOf(reply) !== 'truncated') await witness.doubt(asked.session)
    throw refusal(reply, asked)
  }

  return async (asked) => {
    const { session, lease } = asked
    check(asked)
    if (mayLeaveWaiting(asked)) await note(session, { isWaiting: true })
    const seen = witness.mark(session)
    const token = toToken(asked)
    const changes = toChanges(asked)
    let reply: Reply
    try {
      const script = prepare(session, changes.length > 0)
      reply = await runPrepared(connection, script, toArguments(asked, seen, token, changes))
    } catch (error) {
      remember(asked, token)
      throw error
    }
    if (doubts.size > 0) doubts.delete(digest(asked))
    const brief = toBrief(reply, seen)
    if (brief === undefined && statusOf(reply) !== 'ok') return refuse(asked, reply)
    const { state, inbox, owner } = brief ?? toFull(reply)
    // Nothing is awaited that is there already: that would take one turn of the microtasks for each event.
    const isLost = witness.see(session, state)
    if (typeof isLost !== 'boolean') await isLost
    taps.advance(session, state.tail, state.log)
    const ms = typeof lease === 'object' ? lease.ms : lease
    const noted = note(session, { change: 'write', owner, lease: ms })
    if (noted !== undefined) await noted
    return { tail: state.tail, inbox }
  }
}

/** Prepares the script for sessions: with the keys of the log alone, or of all that an append may change. */
function createPrepare(
  { keys, shared }: RedisContext,
  maxMessages: number,
): (session: string, isWhole: boolean) => PreparedScript {
  const block = Math.min(LARGEST_BLOCK, Math.ceil(maxMessages / 8))
  // They live as long as the names of the session are at hand.
  const prepared = new WeakMap<SessionKeys, PreparedScript>()

  const prepareFor = (session: string, names: readonly string[]): PreparedScript => {
    const { channel } = keys.session(session)
    const [sessions, leases, waiting] = shared
    const all = [...names, sessions, leases, waiting].filter((key) => key !== undefined)
    return prepareScript(append, all, [names.length, session, channel, maxMessages, block])
  }

  return (session, isWhole) => {
    const names = keys.session(session)
    const { meta, log, parts, numbers, inbox, pending, history, conversations } = names
    if (isWhole)
      return prepareFor(session, [
        meta,
        log,
        parts,
        numbers,
        inbox,
        pending,
        history,
        conversations,
      ])
    const known = prepared.get(names)
    if (known !== undefined) return known
    const made = prepareFor(session, [meta, log])
    prepared.set(names, made)
    return made
  }
}

function check({ head, commands }: Append): void {
  checkHead(head)
  if (commands !== undefined) for (const { key } of commands) checkKey(key)
}

/** The arguments that differ from append to append. */
function toArguments(
  { epoch, tail, lines, log, inbox }: Append,
  seen: SessionState | undefined,
  token: string,
  changes: readonly Argument[],
): Argument[] {
  const isSeen = seen?.epoch === epoch
  const writer = isSeen ? seen.writer : ''
  const writes = isSeen ? seen.writes : 0
  const args: Argument[] = [
    epoch,
    writer,
    tail,
    token,
    log ?? '',
    inbox ?? '',
    writes,
    changes.length / 3,
    ...changes,
  ]
  for (const line of lines) args.push(toBuffer(line))
  return args
}

/** What an append has made of a session. */
interface Outcome {
  readonly state: SessionState
  readonly inbox: number
  readonly owner: string | undefined
}

/** The outcome of an append by a writer that was seen, of which only the numbers are told that have changed. */
function toBrief(reply: Reply, seen: SessionState | undefined): Outcome | undefined {
  const [tail, writes, inbox] = reply
  if (seen === undefined || typeof tail !== 'number') return undefined
  const { epoch, writer, log } = seen
  const state = { epoch, writer, tail, log, writes: Number(writes) }
  return { state, inbox: Number(inbox), owner: textAt(reply, 3) }
}

function toFull(reply: Reply): Outcome {
  const owner = textAt(reply, FIRST_DETAIL + 1)
  return { state: stateOf(reply), inbox: numberAt(reply, FIRST_DETAIL), owner }
}

/** Tells whether a session may have pending commands and no lease after an append, but not before. */
function mayLeaveWaiting({ lease, commands }: Append): boolean {
  return lease === 'release' || (commands?.some(({ isPending }) => isPending) ?? false)
}

function refusal(reply: Reply, { session, epoch, tail, inbox = 0 }: Append): MillraceError {
  const status = statusOf(reply)
  const state = stateOf(reply)
  if (status === 'truncated') return logTruncated(session, state.tail)
  if (status === 'fenced') return leaseLost(session, epoch, state.epoch)
  if (status === 'moved') return tailDiffers(session, tail, state.tail)
  if (status === 'unseen') return inboxDiffers(session, inbox, numberAt(reply, FIRST_DETAIL))
  return sessionUnknown(session)
}

/** Each change as three arguments: what it is, and what it is made with. */
function toChanges({ head, parts = [], commands = [], lease }: Append): Argument[] {
  const changes: Argument[] = []
  if (head !== undefined) changes.push('head', head, '')
  for (const part of parts) changes.push(...toPartChange(part))
  for (const { key, body, isPending } of commands)
    changes.push(isPending ? 'pending' : 'settled', key, body)
  if (lease === 'release') changes.push('lease', '', '')
  else if (lease !== undefined) changes.push('lease', lease.owner, lease.ms)
  return changes
}

function toBuffer(line: Uint8Array): Buffer {
  return Buffer.from(line.buffer, line.byteOffset, line.byteLength)
}

/** Covers every field, so that an append which differs in any of them is another one. */
function digest({ lines, ...rest }: Append): string {
  const hash = createHash('sha1')
  hash.update(JSON.stringify([rest, lines.map((line) => line.length)]))
  for (const line of lines) hash.update(line)
  return hash.digest('hex')
}
